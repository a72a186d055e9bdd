import {
  cardOf,
  DECLINED_CARD,
  GOOD_CARD,
  LOST_ANSWER_CARD,
  NO_FUNDS_CARD,
  personOf,
  SILENT_CARD,
} from '../../support/cards.js';
import type { Answer, AskOptions, Json, RunningService } from '../../support/running-service.js';

/** A purchase that the service reported as charged. */
export interface Charged {
  readonly id: string;
  readonly quantity: number;
  /** Empty if the answer has none (`POST /purchases`). */
  readonly coupons: readonly string[];
}

/** A request under an Idempotency-Key whose answer never came. */
interface CutOff {
  readonly path: string;
  readonly body: Json;
  readonly idempotencyKey: string;
}

/** What callers got as answers. */
export interface Answers {
  readonly charged: Charged[];
  readonly pending: string[];
  readonly claimed: string[];
  readonly cutOff: CutOff[];
  declined: number;
  refused: number;
  repeated: number;
  corrected: number;
}

export function noAnswers(): Answers {
  return { charged: [], pending: [], claimed: [], cutOff: [], declined: 0, refused: 0, repeated: 0, corrected: 0 };
}

/** The number of purchases that were charged, declined, or are pending: those that the gateway was asked about. */
export function purchasesAnswered({ charged, pending, declined }: Answers): number {
  return charged.length + pending.length + declined;
}

export interface Holder {
  readonly userId: string;
  readonly cardId: string;
}

export interface LoadOptions {
  readonly key: string;
  readonly deals: readonly string[];
  /** Users with a stored card each. */
  readonly holders: readonly Holder[];
  readonly connections: number;
}

export const PRICE = 1000;

/** Thrown for any answer except success and the refusals that the rules foresee. */
class Unforeseen extends Error {}

const REFUSALS: ReadonlySet<string> = new Set([
  'validation_failed',
  'cannot_fufill',
  'already_charging',
  'already_processing',
  // A correction that comes too late, or again.
  'update_failed',
]);

/** Five of these ten cards are good. */
const CARDS = [
  GOOD_CARD,
  GOOD_CARD,
  GOOD_CARD,
  GOOD_CARD,
  GOOD_CARD,
  DECLINED_CARD,
  NO_FUNDS_CARD,
  SILENT_CARD,
  LOST_ANSWER_CARD,
  LOST_ANSWER_CARD,
];

/** Buys, claims and corrects on many connections until the service goes away; adds each answer to `said` as it arrives. */
export async function loadUntilGone(service: RunningService, answers: Answers, options: LoadOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.connections }, () => new Connection(service, answers, options).run()));
}

class Connection {
  constructor(
    private readonly service: RunningService,
    private readonly answers: Answers,
    private readonly options: LoadOptions,
  ) {}

  async run(): Promise<void> {
    try {
      for (;;) {
        const before = this.answers.cutOff.shift();
        if (before === undefined) await this.#any();
        else await this.#repeat(before);
      }
    } catch (error) {
      if (error instanceof Unforeseen) throw error;
      // The connection broke: the service is gone.
    }
  }

  async #any(): Promise<void> {
    const chance = Math.random();
    if (chance < 0.06) return this.#correct();
    if (chance < 0.12) return this.#claim();
    const holder = any(this.options.holders);
    const of = { deal_id: any(this.options.deals), quantity: 1 + Math.floor(Math.random() * 3) };
    if (chance < 0.4) {
      const stored = { user_id: holder.userId, credit_card_id: holder.cardId, expected_price_per_unit: PRICE };
      return this.#buy('/purchases', { ...of, ...stored });
    }
    const credit_card = cardOf(any(CARDS));
    if (chance < 0.6) return this.#buy('/purchases/full', { ...of, credit_card, user_id: holder.userId });
    const user = personOf(`${crypto.randomUUID()}@example.org`);
    return this.#buy('/purchases/full', { ...of, credit_card, user });
  }

  /** Half of them under a key, so that callers can repeat them when the service is back. */
  async #buy(path: string, body: Json): Promise<void> {
    if (Math.random() < 0.5) this.#record(await this.#ask('POST', path, { body }));
    else await this.#buyOnce({ path, body, idempotencyKey: crypto.randomUUID() });
  }

  async #repeat(cutOff: CutOff): Promise<void> {
    this.answers.repeated += 1;
    await this.#buyOnce(cutOff);
  }

  async #buyOnce(request: CutOff): Promise<void> {
    const { path, body, idempotencyKey } = request;
    try {
      this.#record(await this.#ask('POST', path, { body, headers: { 'idempotency-key': idempotencyKey } }));
    } catch (error) {
      if (!(error instanceof Unforeseen)) this.answers.cutOff.push(request);
      throw error;
    }
  }

  #record(answer: Answer): void {
    const { answers } = this;
    if (!granted(answer)) {
      if (answer.body.error_type === 'declined') answers.declined += 1;
      else answers.refused += 1;
      return;
    }
    const { id, number_bought, payment_state, fulfillment_state, coupons } = answer.body.purchase;
    if (payment_state === 'pending') answers.pending.push(id);
    else if (payment_state !== 'charged') throw new Unforeseen(answer.text);
    else if (fulfillment_state !== 'fulfilled') throw new Unforeseen(answer.text);
    else answers.charged.push({ id, quantity: number_bought, coupons: idsOf(coupons ?? []) });
  }

  async #claim(): Promise<void> {
    const { deals, holders } = this.options;
    const held = await this.#ask('POST', '/purchases/reserve', { body: { deal_id: any(deals), num_bought: 1 } });
    if (!granted(held)) return;
    const { id } = held.body.purchase;
    const { userId } = any(holders);
    const claimed = await this.#ask('PUT', `/purchases/${id}/claim`, { body: { user_id: userId } });
    if (granted(claimed)) this.answers.claimed.push(id);
  }

  /** An operator takes something back; the last charge without an answer is most likely still open. */
  async #correct(): Promise<void> {
    const [purchase, pending] = [some(this.answers.charged), this.answers.pending.at(-1)];
    const chance = Math.random();
    let path: string;
    if (chance < 0.4 && pending !== undefined) path = `purchases/${pending}/void`;
    else if (purchase === undefined) return;
    else if (chance < 0.7 && purchase.coupons[0] !== undefined) path = `coupons/${purchase.coupons[0]}/cancel`;
    else path = `purchases/${purchase.id}/refund`;
    const token = this.service.operatorToken;
    const answer = await this.service.ask('POST', `/operators/${path}`, { token, body: { reason: 'a try' } });
    if (granted(answer)) this.answers.corrected += 1;
  }

  #ask(method: string, path: string, options: AskOptions): Promise<Answer> {
    return this.service.ask(method, path, { key: this.options.key, ...options });
  }
}

/** Whether it succeeded; callers count refusals. 503: work that a kill cut off is not complete yet. */
function granted({ status, text, body }: Answer): boolean {
  if (status === 200) return true;
  if (status === 503 || body?.error_type === 'declined' || REFUSALS.has(body?.error_type)) return false;
  throw new Unforeseen(`${status} ${text}`);
}

function idsOf(coupons: readonly Json[]): string[] {
  return coupons.map((coupon) => coupon.id as string);
}

function some<T>(of: readonly T[]): T | undefined {
  return of[Math.floor(Math.random() * of.length)];
}

function any<T>(of: readonly T[]): T {
  const chosen = some(of);
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}
