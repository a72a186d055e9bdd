import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cardOf, GOOD_CARD, personOf } from '../../../support/cards.js';
import type { Answer, Json, RunningService } from '../../../support/running-service.js';
import type { Kind } from '../sales.js';

/** The most milliseconds before a caller tries again, and those within which it must have an answer. */
const COMES_AGAIN = 600;
const MUST_END_WITHIN = 240_000;

/** No units are left, as a reservation and a purchase with a card report it. */
const REFUSED = /"error_type":"cannot_fufill"|"errors":\[\{"type":"invalid","message":"cannot purchase that many"/;
/** The first attempt has no answer yet. */
const RUNNING = /"error_type":"already_processing"/;
/** The user's last purchase of this deal is pending: only a caller whose answer said so may get this. */
const OPEN = /"error_type":"already_charging"/;

export const randomBelow = (most: number): number => Math.floor(Math.random() * most);
export const either = <T>(of: readonly T[]): T => of[randomBelow(of.length)] as T;

/** A user with a stored card. */
export interface Holder {
  readonly userId: string;
  readonly cardId: string;
}

/** A caller's success. */
export interface Yes {
  readonly deal: string;
  /** `charging`: the units are taken, and the gateway’s answer is missing. */
  readonly what: 'held' | 'charging' | 'sold';
  /** Of the purchase. */
  readonly id: string;
  readonly quantity: number;
  /** The log position of its events, from the answer; undefined when it wrote nothing new. */
  readonly position: bigint | undefined;
  /** Ids, if the answer named them. */
  readonly coupons: readonly string[];
}

/** Which of the two APIs gets the request first; after a 503 the caller goes on to the other one. */
export type Api = 'A' | 'B';

/** Callers who repeat each request under its Idempotency-Key until there is an answer. */
export class Callers {
  readonly successes: Yes[] = [];
  readonly sold: Kind[] = [];
  /** How often a caller had to try again. */
  away = 0;
  /** How often a caller had to wait for their last purchase of the deal. */
  open = 0;
  /** The most milliseconds that a caller tried until there was an answer. */
  longest = 0;
  readonly #apis: Readonly<Record<Api, string>>;

  constructor(
    private readonly service: RunningService,
    private readonly key: string,
    private readonly price: number,
  ) {
    const [A = '', B = ''] = service.urls;
    this.#apis = { A, B };
  }

  /** Buys, or tries to, at this API first. Some holds are not claimed, so that they live on. */
  async buy(deal: string, kind: Kind, quantity: number, { userId, cardId }: Holder, at: Api): Promise<void> {
    if (kind === 'claim') {
      const held = await this.#settle('POST', '/purchases/reserve', { deal_id: deal, num_bought: quantity }, at);
      if (held === undefined) return;
      const { id } = held.body.purchase;
      this.#yes(deal, 'held', held);
      if (randomBelow(5) === 0) return;
      const claimed = await this.#settle('PUT', `/purchases/${id}/claim`, { user_id: userId }, at);
      if (claimed === undefined) throw new Error(`${deal}: a living hold cannot be claimed`);
      this.#yes(deal, 'sold', claimed);
    } else {
      const order = { deal_id: deal, quantity, expected_price_per_unit: this.price };
      const bought =
        kind === 'stored card'
          ? await this.#settle('POST', '/purchases', { ...order, user_id: userId, credit_card_id: cardId }, at)
          : await this.#settle(
              'POST',
              '/purchases/full',
              { ...order, user: personOf(`${randomUUID()}@example.org`), credit_card: cardOf(GOOD_CARD) },
              at,
            );
      if (bought === undefined) return;
      const isPending = bought.body.purchase.payment_state === 'pending';
      this.#yes(deal, isPending ? 'charging' : 'sold', bought);
    }
    this.sold.push(kind);
  }

  /** Repeats a request until there is an answer; at this API first. @returns undefined for a refusal */
  async #settle(method: string, path: string, body: Json, first: Api): Promise<Answer | undefined> {
    const headers = { 'idempotency-key': randomUUID(), 'holdfast-position': '0' };
    const since = performance.now();
    for (let at = first; ; at = first === 'A' && at === 'A' ? 'B' : either(['A', 'B'] as const)) {
      const answer = await this.service.ask(method, path, { key: this.key, body, headers, at: this.#apis[at] });
      const { status, text } = answer;
      const waited = Math.round(performance.now() - since);
      this.longest = Math.max(this.longest, waited);
      if (status === 200) return answer;
      if (REFUSED.test(text)) return undefined;
      if (OPEN.test(text) && this.#wordsOf(answer.body.purchase_id).every((word) => word === 'charging')) {
        this.open += 1;
        return undefined;
      }
      if ((status !== 503 && !RUNNING.test(text)) || waited > MUST_END_WITHIN) {
        throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${status} ${text}`);
      }
      this.away += 1;
      await pause(either([0, randomBelow(COMES_AGAIN)]));
    }
  }

  /** Waits for the outcomes of the pending purchases: each is sold, because every card here is good. */
  async findOut(): Promise<void> {
    for (const { deal, id } of this.successes.filter(({ what }) => what === 'charging')) {
      const until = performance.now() + MUST_END_WITHIN;
      for (;;) {
        const answer = await this.service.look(`/purchases/${id}`, this.key);
        if (answer.status === 200 && answer.body.purchase.payment_state !== 'pending') {
          this.#yes(deal, 'sold', { ...answer, headers: {} });
          break;
        }
        if (performance.now() > until) throw new Error(`${deal}, purchase ${id}: ${answer.status} ${answer.text}`);
        await pause(COMES_AGAIN);
      }
    }
  }

  /** What answers have said about a purchase so far. */
  #wordsOf(purchaseId: string): readonly Yes['what'][] {
    const words = this.successes.filter(({ id }) => id === purchaseId).map(({ what }) => what);
    if (words.length === 0) throw new Error(`nobody was told of the purchase ${purchaseId}`);
    return words;
  }

  #yes(deal: string, what: Yes['what'], { body, headers }: Answer): void {
    const { id, number_bought, coupons } = body.purchase;
    const position = headers['holdfast-position'];
    this.successes.push({
      deal,
      what,
      id,
      quantity: number_bought,
      position: position === undefined ? undefined : BigInt(position),
      coupons: ((coupons ?? []) as Json[]).map((coupon) => coupon.id as string),
    });
  }
}
