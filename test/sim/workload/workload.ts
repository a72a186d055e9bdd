import { BEGINNING } from '../core/machine.js';
import type { Seeded } from '../core/seeded.js';
import { Client } from '../world/client.js';
import type { Answer, Installation, Request } from '../world/installation.js';
import { OPERATOR } from '../world/service-process.js';
import type { World } from '../world/world.js';

const DAY = 86_400_000;

/** What partners do in a simulated world, and what they know of it. */
export class Workload {
  readonly #random: Seeded;
  readonly #operator: Client;
  #key = '';
  #user = '';
  done = 0;

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
    private readonly commands: number,
  ) {
    this.#random = world.random.of('workload');
    this.#operator = new Client(world, installation, 'operator');
  }

  async prepare(): Promise<void> {
    const operate = (method: Request['method'], path: string, body: object): Promise<Answer> =>
      this.#insist(this.#operator, { method, path: `/operators${path}`, credential: { token: OPERATOR }, body });
    const made = await operate('POST', '/partners', { name: 'acme', slug: 'acme' });
    this.#key = (JSON.parse(made.text) as { api_key: string }).api_key;
    const at = (days: number): string => new Date(BEGINNING + days * DAY).toISOString();
    await operate('PUT', '/regions/testland', { name: 'Testland', time_zone: 'America/New_York' });
    for (const deal of ['one', 'two', 'three']) {
      const body = {
        title: deal,
        region_id: 'testland',
        start_at: at(-1),
        end_at: at(9),
        current_price: 1000,
        value: 2000,
        stock: 100,
      };
      await operate('PUT', `/deals/${deal}`, body);
      await operate('POST', `/deals/${deal}/transitions`, { to: 'in-review' });
      await operate('POST', `/deals/${deal}/transitions`, { to: 'approved' });
    }
    const body = { email: 'ann@example.com' };
    const user = await this.#insist(this.#operator, {
      method: 'POST',
      path: '/users',
      credential: { key: this.#key },
      body,
    });
    this.#user = (JSON.parse(user.text) as { user_id: string }).user_id;
  }

  async run(): Promise<void> {
    const buyers = Array.from({ length: 8 }, (_, index) => this.#buyer(index));
    await Promise.all(buyers);
  }

  async #buyer(index: number): Promise<void> {
    const client = new Client(this.world, this.installation, `buyer-${index}`);
    const credential = { key: this.#key };
    while (this.done < this.commands) {
      this.done += 1;
      await this.world.scheduler.sleep(this.#random.between(1, 3_000));
      const body = { deal_id: this.#random.one(['one', 'two', 'three']), num_bought: 1 };
      const reply = await client.send({ method: 'POST', path: '/purchases/reserve', credential, body });
      if (reply.kind === 'lost' || reply.answer.status !== 200) continue;
      const { purchase } = JSON.parse(reply.answer.text) as { purchase: { id: string } };
      await this.world.scheduler.sleep(this.#random.between(1, 400_000));
      this.done += 1;
      await client.send({
        method: 'PUT',
        path: `/purchases/${purchase.id}/claim`,
        credential,
        body: { user_id: this.#user },
      });
    }
  }

  /** Sends a request until it succeeds, always under the same key. */
  async #insist(client: Client, request: Request): Promise<Answer> {
    const headers = { 'idempotency-key': this.#random.bytes(16).toString('hex') };
    for (;;) {
      const reply = await client.send({ ...request, headers });
      if (reply.kind === 'answer' && reply.answer.status === 200) return reply.answer;
      if (reply.kind === 'answer' && reply.answer.status < 500 && reply.answer.status !== 409)
        throw new Error(`${request.method} ${request.path}: ${reply.answer.status} ${reply.answer.text}`);
      await this.world.scheduler.sleep(1_000);
    }
  }
}
