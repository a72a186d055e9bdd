import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cardOf, GOOD_CARD, personOf } from '../../../support/cards.js';
import type { Answer, Json, RunningService } from '../../../support/running-service.js';
import type { Kind } from '../sales.js';

/** Milliseconds at most until somebody who is sent away comes again, and after which that must have come to something. */
const COMES_AGAIN = 600;
const MUST_END_WITHIN = 600_000;

/** No units are left, as a reservation and as a purchase with a card is told. */
const REFUSED = /"error_type":"cannot_fufill"|"errors":\[\{"type":"invalid","message":"cannot purchase that many"/;
/** Its first try has not been answered yet. */
const RUNNING = /"error_type":"already_processing"/;
/** The user's last purchase of this deal is pending: only who was told just that may be told this. */
const OPEN = /"error_type":"already_charging"/;

export const below = (most: number): number => Math.floor(Math.random() * most);
export const either = <T>(of: readonly T[]): T => of[below(of.length)] as T;

/** A user with a stored card. */
export interface Holder {
  readonly userId: string;
  readonly cardId: string;
}

/** A yes that a caller had. */
export interface Yes {
  readonly deal: string;
  /** `charging`: the units are taken, and the gateway’s word is missing. */
  readonly what: 'held' | 'charging' | 'sold';
  /** Of the purchase. */
  readonly id: string;
  readonly quantity: number;
  /** Where the log had what was written for it, as the answer said; undefined where it wrote nothing any more. */
  readonly position: bigint | undefined;
  /** Ids, where the answer named them. */
  readonly coupons: readonly string[];
}

/** Which of the two APIs is asked first; whoever is sent away goes on to the other one. */
export type Api = 'A' | 'B';

/** Callers who repeat each request under its Idempotency-Key until they are told something. */
export class Callers {
  readonly said: Yes[] = [];
  readonly sold: Kind[] = [];
  /** Times that a caller was told to come again. */
  away = 0;
  /** Times that a caller was told to wait for their last purchase of the deal. */
  open = 0;
  /** Milliseconds that somebody came again until they were told yes or no, at most. */
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

  /** Buys, or tries to, at this API first. A claim may be left out: then the hold lives on. */
  async buy(deal: string, kind: Kind, quantity: number, { userId, cardId }: Holder, at: Api): Promise<void> {
    if (kind === 'claim') {
      const held = await this.#settle('POST', '/purchases/reserve', { deal_id: deal, num_bought: quantity }, at);
      if (held === undefined) return;
      const { id } = held.body.purchase;
      this.#yes(deal, 'held', held);
      if (below(5) === 0) return;
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

  /** Asks until it is known; first at this API. @returns undefined when he is refused */
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
      await pause(either([0, below(COMES_AGAIN)]));
    }
  }

  /** What has become of the purchases that were told to be pending: each is sold, for every card here is good. */
  async findOut(): Promise<void> {
    for (const { deal, id } of this.said.filter(({ what }) => what === 'charging')) {
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

  /** What was told of a purchase so far, of which something was told. */
  #wordsOf(purchaseId: string): readonly Yes['what'][] {
    const words = this.said.filter(({ id }) => id === purchaseId).map(({ what }) => what);
    if (words.length === 0) throw new Error(`nobody was told of the purchase ${purchaseId}`);
    return words;
  }

  #yes(deal: string, what: Yes['what'], { body, headers }: Answer): void {
    const { id, number_bought, coupons } = body.purchase;
    const position = headers['holdfast-position'];
    this.said.push({
      deal,
      what,
      id,
      quantity: number_bought,
      position: position === undefined ? undefined : BigInt(position),
      coupons: ((coupons ?? []) as Json[]).map((coupon) => coupon.id as string),
    });
  }
}
