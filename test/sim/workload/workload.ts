import { BEGINNING } from '../core/machine.js';
import type { Answer, Installation, Request } from '../world/installation.js';
import { OPERATOR } from '../world/service-process.js';
import type { World } from '../world/world.js';
import { Doing, type Json } from './doing.js';
import type { Act } from './history.js';
import { attributesOf, REGIONS } from './kinds/catalogue.js';
import { KINDS } from './kinds/kinds.js';
import { type Deal, Known } from './known.js';
import { ACTORS, type Operation, operationsOf } from './operation.js';
import { Sender, type Witness } from './sender.js';
import { ServiceClock } from './service-clock.js';

/** Where the service's time begins: in most worlds where it is, in some shortly before the clocks change in New York. */
const BEGINNINGS = [undefined, undefined, Date.UTC(2030, 2, 9, 20), Date.UTC(2030, 10, 2, 23)];

const FIRST_DEALS: readonly Deal[] = [
  { slug: 'one', kind: 'plain' },
  { slug: 'two', kind: 'plain' },
  { slug: 'codes', kind: 'codes' },
  { slug: 'parcel', kind: 'shipped' },
  { slug: 'offer', kind: 'card-linked' },
];

/** What partners and operators do in a simulated world: a list of operations that the seed makes before the world begins. */
export class Workload {
  readonly known = new Known();
  /** Every write that was sent, in the order of the first sendings. */
  readonly history: Act[] = [];
  readonly clock: ServiceClock;
  readonly operations: readonly Operation[];
  readonly #senders: readonly Sender[];
  readonly #preparing: Sender;
  #insisted = 0;

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
    commands: number,
    witness: Witness,
  ) {
    this.clock = new ServiceClock(world, installation);
    const weights = Object.fromEntries(Object.entries(KINDS).map(([name, { weight }]) => [name, weight]));
    this.operations = operationsOf(world.random.of('operations'), commands, weights);
    const sender = (name: string): Sender => new Sender(world, installation, name, this.history, witness, this.clock);
    this.#senders = Array.from({ length: ACTORS }, (_, index) => sender(`client-${index}`));
    this.#preparing = sender('operator');
  }

  /** Makes what every world has: regions, partners, deals of each kind, users with cards. */
  async prepare(): Promise<void> {
    const { known, world } = this;
    const random = world.random.of('prepare');
    const start = random.one(BEGINNINGS);
    if (start !== undefined && start > this.clock.now()) await this.moveClock(start, 'prepare');
    for (const [slug, region] of Object.entries(REGIONS)) await this.#operate('PUT', `/regions/${slug}`, region);
    for (const slug of ['acme', 'rival']) await this.#partner(slug);
    for (const { slug, kind } of FIRST_DEALS) {
      const body = attributesOf({ random, now: Math.max(this.clock.now(), BEGINNING) }, kind, slug);
      await this.#operate('PUT', `/deals/${slug}`, body);
      for (const to of ['in-review', 'approved']) await this.#operate('POST', `/deals/${slug}/transitions`, { to });
      known.deals.put(slug, { slug, kind });
    }
    for (const [index, partner] of [...known.partners, ...known.partners].entries()) {
      const email = `user-${index}@example.com`;
      const credential = { key: partner.key };
      const user = await this.#ask({ method: 'POST', path: '/users', credential, body: { email, first_name: 'Ann' } });
      const user_id = user['user_id'] as string;
      known.users.put(email, { id: user_id, email, partner });
      const card = {
        number: '4242424242424242',
        verification_value: '123',
        month: '12',
        year: '2045',
        zip_code: '02114',
      };
      const stored = await this.#ask({ method: 'POST', path: '/credit_cards', credential, body: { user_id, ...card } });
      known.cards.put(email, { id: stored['credit_card_id'] as string, partner, user: user_id });
    }
  }

  /** Lets the world go on for so many milliseconds. */
  wait(milliseconds: number): Promise<void> {
    return this.world.scheduler.sleep(milliseconds);
  }

  /** Does every operation that is not left out. */
  async run(): Promise<void> {
    await Promise.all(this.#senders.map((sender, actor) => this.#act(sender, actor)));
  }

  /** Sends a request outside the list until it succeeds. */
  async insist(request: Request, kind = 'at the end', wanted?: (answer: Answer) => boolean): Promise<Answer> {
    return this.#preparing.insist(kind, this.world.random.of(`insist ${(this.#insisted += 1)}`), request, wanted);
  }

  /**
   * Moves the service's time forward when nothing fails any more. The service may have known too early a time until now: it had
   * refused an older copy of the log, and the right one is back; or a move whose answer was lost has arrived since. Then it moves
   * from the time that the service has learned.
   * @param to from the service's present time
   * @returns the time to which it was moved
   */
  async moveClockOn(to: (now: number) => number): Promise<string> {
    for (;;) {
      const now = new Date(to(this.clock.now())).toISOString();
      const move = { method: 'PUT', path: '/operators/clock', credential: { token: OPERATOR }, body: { now } } as const;
      const isTooEarly = ({ status, text }: Answer): boolean => status === 422 && text.includes('must not be before');
      const { status } = await this.insist(move, 'at the end', (each) => each.status < 300 || isTooEarly(each));
      if (status < 300) return now;
    }
  }

  /** Moves the service's time forward. */
  async moveClock(to: number, kind?: string): Promise<void> {
    const now = new Date(to).toISOString();
    const credential = { token: OPERATOR };
    // By the service's time, a key is forgotten a day later: so it may be when the answer to a move of days was lost.
    const isMoved = ({ status, text }: Answer): boolean =>
      status < 300 || (status === 422 && text.includes('must not be before the present time'));
    await this.insist({ method: 'PUT', path: '/operators/clock', credential, body: { now } }, kind, isMoved);
  }

  async #act(sender: Sender, actor: number): Promise<void> {
    const { world, known, installation, clock } = this;
    for (const operation of this.operations) {
      if (operation.actor !== actor) continue;
      await world.scheduler.sleep(operation.wait);
      if (world.left.operations?.has(operation.index) === true) continue;
      await KINDS[operation.kind]?.do(new Doing(operation, known, world, installation, sender, clock));
    }
  }

  /** A partner. Its secrets are shown once: if that answer is lost, another one takes its place. */
  async #partner(name: string): Promise<void> {
    for (let again = 0; ; again += 1) {
      const slug = again === 0 ? name : `${name}-${again}`;
      const request: Request = { method: 'POST', path: '/operators/partners', credential: { token: OPERATOR } };
      const random = this.world.random.of(`partner ${slug}`);
      const answer = await this.#preparing.send(undefined, 'prepare', random, { ...request, body: { name, slug } });
      const {
        partner,
        api_key: key,
        username,
        password,
      } = JSON.parse(answer?.text ?? '{}') as {
        readonly partner?: { readonly id: string };
        readonly api_key?: string;
        readonly username?: string;
        readonly password?: string;
      };
      if (partner === undefined || key === undefined || username === undefined || password === undefined) continue;
      this.known.partners.push({ slug, id: partner.id, key, basic: { username, password } });
      return;
    }
  }

  #operate(method: Request['method'], path: string, body: object): Promise<Json> {
    return this.#ask({ method, path: `/operators${path}`, credential: { token: OPERATOR }, body });
  }

  async #ask(request: Request): Promise<Json> {
    return JSON.parse((await this.insist(request, 'prepare')).text) as Json;
  }
}
