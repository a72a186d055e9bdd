/** A card as a gateway is told of it. */
export interface CardToCharge {
  /** Digits alone. */
  readonly number: string;
  /** 01 to 12. */
  readonly month: string;
  /** Four digits. */
  readonly year: string;
  readonly zip_code: string;
  /** Goes with the first charge of a purchase alone, and is kept nowhere (ruling D7). */
  readonly verification_value?: string;
}

export interface Charge {
  /** Cents. */
  readonly amount: number;
  readonly card: CardToCharge;
}

/** What became of a charge, for ever. */
export type ChargeOutcome =
  | { readonly kind: 'approved' }
  /** Nothing was taken; the reason is for people. */
  | { readonly kind: 'declined'; readonly reason: string }
  /** It was cancelled before it came. */
  | { readonly kind: 'cancelled' };

/** Nobody knows whether the gateway did it: no answer came in time. The same call is repeated until one comes. */
export class GatewayOutcomeUnknown extends Error {
  override name = 'GatewayOutcomeUnknown';
}

/**
 * Takes money and gives it back (ruling D7). Every call carries a key of its own: the gateway does what a key asks for once,
 * and answers its repeats like the first. Each settles within the gateway's timeout, or rejects with GatewayOutcomeUnknown.
 */
export abstract class PaymentGateway {
  /** @param key the purchase's id */
  abstract charge(key: string, charge: Charge): Promise<ChargeOutcome>;

  /**
   * Gives back a part of what was charged, or all of it.
   * @param key the refund's own id
   * @param amount cents
   */
  abstract refund(key: string, charged: { readonly key: string; readonly amount: number }): Promise<void>;

  /**
   * Closes a charge of which nothing is known: one that comes later is answered `cancelled`, one that was approved is given
   * back in full.
   * @param key the charge's
   * @returns whether money was given back
   */
  abstract cancel(key: string): Promise<{ readonly refunded: boolean }>;
}
