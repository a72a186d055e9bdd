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

/** Under which name the gateway keeps what it has done; null where it gave none, or its record is older than such names. */
export interface Done {
  readonly reference: string | null;
}

/** What became of a charge, for ever. */
export type ChargeOutcome =
  | ({ readonly kind: 'approved' } & Done)
  /** Nothing was taken; the reason is for people. */
  | ({ readonly kind: 'declined'; readonly reason: string } & Done)
  /** It was cancelled before it came. */
  | ({ readonly kind: 'cancelled' } & Done);

/** Nobody knows whether the gateway did it: no answer came in time. The same call is repeated until one comes. */
export class GatewayOutcomeUnknown extends Error {
  override name = 'GatewayOutcomeUnknown';
}

/** The gateway keeps another ledger than the one that it named before, or an older copy: it has done nothing of what was asked. */
export class OtherLedger extends GatewayOutcomeUnknown {
  override name = 'OtherLedger';
}

/** What the gateway will never do, however often it is asked: a word for good. An earlier try of the same may have been done. */
export class GatewayRefused extends Error {
  override name = 'GatewayRefused';
}

/**
 * Takes money and gives it back (ruling D7). Every call carries a key of its own: the gateway does what a key asks for once,
 * and answers its repeats like the first. Each settles within the gateway's timeout, or rejects with GatewayOutcomeUnknown.
 */
export abstract class PaymentGateway {
  /** Which gateway it is, for those who look there for what events tell. */
  abstract get name(): string;

  /**
   * Which ledger the gateway keeps what it has done in, by a name that no other one has; undefined where it names none. What
   * is asked after this goes to that ledger alone: where the gateway keeps another one by then, it does nothing.
   * @throws GatewayOutcomeUnknown while the gateway does not say
   */
  abstract ledger(): Promise<string | undefined>;

  /**
   * Resolves where nothing is known that forbids to ask the gateway: to be awaited before something is begun that needs it.
   * @throws Unavailable where an operator must see to it first
   */
  usable(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * @param key the purchase's id
   * @throws GatewayRefused, or OtherLedger, and so does every call below
   */
  abstract charge(key: string, charge: Charge): Promise<ChargeOutcome>;

  /**
   * Gives back a part of what was charged, or all of it.
   * @param key the refund's own id
   * @param amount cents
   * @throws GatewayRefused
   */
  abstract refund(key: string, charged: { readonly key: string; readonly amount: number }): Promise<Done>;

  /**
   * Closes a charge of which nothing is known: one that comes later is answered `cancelled`, one that was approved is given
   * back in full. Never refused for good: until the gateway has closed it, nobody knows.
   * @param key the charge's
   * @returns how many cents were given back
   */
  abstract cancel(key: string): Promise<Done & { readonly amount: number }>;
}
