import type { Seeded } from '../core/seeded.js';
import { Client } from '../world/client.js';
import type { Answer, Installation, Reply, Request } from '../world/installation.js';
import type { World } from '../world/world.js';
import type { ServiceClock } from './service-clock.js';
import { type Act, isFinal, isForgotten, type Meaning, type Try } from './history.js';

/** What a client does when it gets no answer, or one that does not say what became of its request. */
export type Habit = 'repeats under a key' | 'repeats without a key' | 'gives up';

/** The most tries of one request. */
const MOST_TRIES = 7;

/** Told of every try that has ended. */
export type Witness = (act: Act, tried: Try) => void;

/** Sends the requests of one actor as partners do: some repeat under an Idempotency-Key, some without one, some give up. */
export class Sender {
  readonly #client: Client;

  constructor(
    private readonly world: World,
    installation: Installation,
    name: string,
    private readonly history: Act[],
    private readonly witness: Witness,
    private readonly clock: ServiceClock,
  ) {
    this.#client = new Client(world, installation, name);
  }

  /**
   * @param habit by default, chance decides
   * @returns the answer that says what became of the request; undefined if the client never learned it
   */
  async send(
    operation: number | undefined,
    kind: string,
    random: Seeded,
    request: Request,
    meaning: Meaning = { type: 'other' },
    habit: Habit = habitOf(random, request),
  ): Promise<Answer | undefined> {
    const act = this.#begin(
      operation,
      kind,
      request,
      meaning,
      habit === 'repeats under a key' ? keyOf(random) : undefined,
    );
    let answer: Answer | undefined;
    for (let time = 0; time < (habit === 'gives up' ? 1 : MOST_TRIES) && answer === undefined; time += 1) {
      if (time > 0) await this.world.scheduler.sleep(pauseOf(random, time));
      const reply = await this.#once(act);
      if (reply.kind === 'answer' && (isFinal(reply.answer) || reply.answer.status === 401)) ({ answer } = reply);
    }
    if (act.key !== undefined && answer !== undefined) await this.#afterwards(act, random);
    return answer;
  }

  /**
   * Sends it under one key until it has happened, and once more when nothing fails any more.
   * @param wanted whether an answer says that it has: by default a success
   * @throws Error for an answer that says it never will
   */
  async insist(
    kind: string,
    random: Seeded,
    request: Request,
    wanted: (answer: Answer) => boolean = ({ status }) => status < 300,
  ): Promise<Answer> {
    const meaning: Meaning = { type: 'other' };
    const act = this.#begin(undefined, kind, request, meaning, request.method === 'GET' ? undefined : keyOf(random));
    for (;;) {
      const reply = await this.#once(act);
      if (reply.kind === 'answer' && wanted(reply.answer)) {
        // A repeat shows whether the answer was kept as it was.
        if (act.key !== undefined && this.world.faults.stopped && !isForgotten(act)) await this.#once(act);
        return reply.answer;
      }
      if (reply.kind === 'answer' && (isFinal(reply.answer) || reply.answer.status === 401))
        throw new Error(`${request.method} ${request.path}: ${reply.answer.status} ${reply.answer.text}`);
      await this.world.scheduler.sleep(1_000);
    }
  }

  /** Now and then a client repeats an answered request, or uses its key for another one. */
  async #afterwards(act: Act, random: Seeded): Promise<void> {
    const next = random.fraction();
    if (next < 0.04) {
      await this.world.scheduler.sleep(random.between(0, 40_000));
      await this.#once(act);
    } else if (next < 0.06 && act.request.body !== undefined) {
      const body = { ...act.request.body, another_request: random.whole(1, 9) };
      // Once the key is forgotten, it is a new request, and does the same.
      const other = this.#begin(act.operation, 'a used key', { ...act.request, body }, act.meaning, act.key);
      await this.#once(other);
    }
  }

  #begin(
    operation: number | undefined,
    kind: string,
    request: Request,
    meaning: Meaning,
    key: string | undefined,
  ): Act {
    const headers = { ...request.headers, ...(key === undefined ? {} : { 'idempotency-key': key }) };
    const act: Act = { operation, kind, request: { ...request, headers }, key, meaning, tries: [] };
    if (request.method !== 'GET') this.history.push(act);
    return act;
  }

  async #once(act: Act): Promise<Reply> {
    const { scheduler, faults } = this.world;
    const twice = 'client: the same request is sent twice at once';
    const before = faults.struck.get(twice) ?? 0;
    const sent = { sent: scheduler.now, clockSent: this.clock.earliest() };
    const replying = this.#client.send(act.request);
    const times = (faults.struck.get(twice) ?? 0) > before ? 2 : 1;
    const tried: Try = { ...sent, ended: Infinity, clockEnded: Infinity, times, reply: undefined };
    act.tries.push(tried);
    const reply = await replying;
    tried.ended = scheduler.now;
    tried.clockEnded = this.clock.now();
    tried.reply = reply;
    this.witness(act, tried);
    return reply;
  }
}

function habitOf(random: Seeded, { method, credential, headers }: Request): Habit {
  const habit = random.fraction();
  // Who shows no credential has no keys.
  const isNobody = 'token' in credential && credential.token === '' && headers?.['authorization'] === undefined;
  if (method === 'GET' || isNobody) return habit < 0.5 ? 'gives up' : 'repeats without a key';
  return habit < 0.7 ? 'repeats under a key' : habit < 0.82 ? 'repeats without a key' : 'gives up';
}

function keyOf(random: Seeded): string {
  return random.bytes(12).toString('hex');
}

function pauseOf(random: Seeded, time: number): number {
  return random.between(20, 1_500) * 2 ** Math.min(time, 5);
}
