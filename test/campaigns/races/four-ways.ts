import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cardOf, DECLINED_CARD, GOOD_CARD, personOf } from '../../support/cards.js';
import type { Answer, AskOptions, Json, RunningService, TestPartner } from '../../support/running-service.js';

/** The four ways to buy a unit; the full purchase with existing users, and with new ones. */
export const WAYS = ['reservation', 'stored card', 'full', 'full, new user', 'reseller'] as const;
export type Way = (typeof WAYS)[number];

/** The most milliseconds that buyers wait who do not come first. */
const BEHIND = 200;

/** An existing user, with a card that is good and one that declines. */
export interface KnownUser {
  readonly id: string;
  readonly good: string;
  readonly declining: string;
}

/** A user who buys: an existing one, or the e-mail address of a new one. */
export interface UserBuyer {
  readonly way: Exclude<Way, 'reseller'>;
  readonly user: KnownUser | string;
  /** Whether the card declines. */
  readonly declining: boolean;
}

/** A reseller with one transaction, whose reference they send again after a refusal (ruling D11). */
export interface Reseller {
  readonly way: 'reseller';
  readonly reference: string;
}

export type Buyer = UserBuyer | Reseller;

/** The result of one try: a purchase, units that may come back, or a final refusal. */
export type Try =
  | { readonly kind: 'bought'; readonly purchase: Json }
  | { readonly kind: 'again' }
  | { readonly kind: 'over the limit' | 'declined' };

/** The result of a race on one deal. */
export interface Race {
  readonly bought: readonly { readonly way: Way; readonly purchase: Json }[];
  /** Tries by their result. */
  readonly tries: ReadonlyMap<Try['kind'], number>;
}

/**
 * All buyers at once want units of one deal with `units` units, and try on while any may come back.
 * @param first the way that begins: a reservation is a far shorter call than a charge, and would otherwise always win
 */
export async function raceFourWays(
  shop: FourWayShop,
  deal: string,
  buyers: readonly Buyer[],
  units: number,
  first: Way,
): Promise<Race> {
  const bought: { way: Way; purchase: Json }[] = [];
  const tries = new Map<Try['kind'], number>();
  const buy = async (buyer: Buyer): Promise<void> => {
    if (buyer.way !== first) await pause(Math.random() * BEHIND);
    while (bought.length < units) {
      const result = await shop.try(deal, buyer);
      tries.set(result.kind, (tries.get(result.kind) ?? 0) + 1);
      if (result.kind === 'bought') {
        bought.push({ way: buyer.way, purchase: result.purchase });
        // The same transaction again would be the same purchase.
        if (buyer.way === 'reseller') return;
      } else if (result.kind === 'again') await pause(1 + Math.random() * 20);
      else return;
    }
  };
  await Promise.all(buyers.map(buy));
  return { bought, tries };
}

/** The service as buyers in all four ways see it. */
export class FourWayShop {
  /** Answers 503 so far. */
  overloaded = 0;

  constructor(
    private readonly service: RunningService,
    private readonly partner: TestPartner,
    /** The partner's v3 credentials, `user:password`. */
    private readonly basic: string,
  ) {}

  /** Tries once to buy one unit. Rejects for any answer that the rules do not foresee. */
  try(deal_id: string, buyer: Buyer): Promise<Try> {
    if (buyer.way === 'reseller') return this.#reseller(deal_id, buyer.reference);
    const { way, user, declining } = buyer;
    const order = { deal_id, quantity: 1, expected_price_per_unit: 1000 };
    const credit_card = cardOf(declining ? DECLINED_CARD : GOOD_CARD);
    if (typeof user === 'string') return this.#full({ ...order, user: personOf(user), credit_card });
    const credit_card_id = declining ? user.declining : user.good;
    switch (way) {
      case 'reservation':
        return this.#reservation(deal_id, user.id);
      case 'stored card':
        return this.#storedCard({ ...order, user_id: user.id, credit_card_id });
      case 'full':
      case 'full, new user':
        return this.#full({ ...order, user_id: user.id, credit_card });
    }
  }

  async #reservation(deal_id: string, user_id: string): Promise<Try> {
    const { key } = this.partner;
    const held = await this.#ask('POST', '/purchases/reserve', { key, body: { deal_id, num_bought: 1 } });
    if (isRefusal(held, 'cannot_fufill')) return { kind: 'again' };
    const path = `/purchases/${sold(held).id}`;
    const claimed = await this.#ask('PUT', `${path}/claim`, { key, body: { user_id } });
    if (!isRefusal(claimed, 'cannot_fufill')) return { kind: 'bought', purchase: sold(claimed) };
    sold(await this.#ask('PUT', `${path}/release`, { key }));
    return { kind: 'over the limit' };
  }

  async #reseller(deal_id: string, transaction_reference: string): Promise<Try> {
    const body = {
      deal_id,
      quantity: 1,
      transaction_reference,
      transaction_date: '2026-01-31T12:00:00Z',
      transaction_amount: 900,
      first_name: 'Ann',
      last_name: 'Lee',
    };
    const answer = await this.#ask('POST', '/api/v3/resellers/purchases', { basic: this.basic, body });
    if (isRefusal(answer, 'cannot_fulfill')) return { kind: 'again' };
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return { kind: 'bought', purchase: answer.body };
  }

  async #storedCard(body: Json): Promise<Try> {
    return this.#decided(await this.#ask('POST', '/purchases', { key: this.partner.key, body }));
  }

  /** Asks again while the service is overloaded: under its Idempotency-Key, a call does nothing twice (ruling A11). */
  async #ask(method: string, path: string, options: AskOptions): Promise<Answer> {
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      const answer = await this.service.ask(method, path, { ...options, headers }).catch((error: unknown) => {
        // An idle connection was ended at the moment of the request.
        if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
        return undefined;
      });
      if (answer === undefined) continue;
      // After a 503 the first request may still run: then it is waited for.
      if (answer.status !== 503 && answer.body.error_type !== 'already_processing') return answer;
      this.overloaded += 1;
      await pause(200);
    }
  }

  async #full(body: Json): Promise<Try> {
    return this.#decided(await this.#ask('POST', '/v1/purchases/full.json', { key: this.partner.key, body }));
  }

  /** Waits until a pending purchase is decided: on a slow machine the gateway may answer too late for the call (ruling D7). */
  async #decided(answer: Answer): Promise<Try> {
    let result = tried(answer);
    while (result.kind === 'bought' && result.purchase.payment_state === 'pending') {
      await pause(200);
      const path = `/purchases/${result.purchase.id}`;
      const { status, body } = await this.#ask('GET', path, { key: this.partner.key });
      if (status !== 200) continue;
      if (body.purchase.payment_state === 'declined') return { kind: 'declined' };
      result = { kind: 'bought', purchase: body.purchase };
    }
    return result;
  }
}

function tried(answer: Answer): Try {
  if (answer.status === 409 && answer.body.error_type === 'already_charging') return { kind: 'again' };
  if (isRefusal(answer, 'cannot_fufill')) return { kind: 'again' };
  if (isRefusal(answer, 'declined')) return { kind: 'declined' };
  if (isTooMany(answer)) return { kind: 'over the limit' };
  return { kind: 'bought', purchase: sold(answer) };
}

/** Whether the purchase was refused only for its quantity. */
export function isTooMany({ status, body }: Answer): boolean {
  return status === 422 && body.errors?.length === 1 && body.errors[0].field === 'quantity';
}

function isRefusal({ status, body }: Answer, type: string): boolean {
  return status === 422 && body.error_type === type;
}

function sold({ status, text, body }: Answer): Json {
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body.purchase;
}
