import type { LedgerMark } from '#eventsourcing/ports';

/** The card data for a gateway. */
export interface CardToCharge {
  /** Digits only. */
  readonly number: string;
  /** 01 to 12. */
  readonly month: string;
  /** Four digits. */
  readonly year: string;
  readonly zip_code: string;
  /** Only the first charge of a purchase has it; nothing stores it (ruling D7). */
  readonly verification_value?: string;
}

export interface Charge {
  /** Cents. */
  readonly amount: number;
  readonly card: CardToCharge;
}

/** The gateway's reference of what it did; null if it gave none. */
export interface Done {
  readonly reference: string | null;
}

/** The final outcome of a charge. */
export type ChargeOutcome =
  | ({ readonly kind: 'approved' } & Done)
  /** The gateway took nothing; the reason is for people. */
  | ({ readonly kind: 'declined'; readonly reason: string } & Done)
  /** A cancellation reached the gateway before the charge. */
  | ({ readonly kind: 'cancelled' } & Done);

/** One thing that a gateway has done: a line of its ledger. */
export interface LedgerEntry {
  readonly kind: 'charge' | 'refund' | 'cancel';
  /** The call's key: of a refund its own, otherwise the purchase's id. */
  readonly key: string;
  /** The key of the charge that it belongs to: the purchase's id. */
  readonly charge: string;
  /** Cents. */
  readonly amount: number;
}

/** A part of a ledger, in its order. */
export interface LedgerPage {
  readonly entries: readonly LedgerEntry[];
  /** Where the part ends; the next one begins there. */
  readonly end: LedgerMark;
  /** Whether the ledger had more when it was read. */
  readonly more: boolean;
}

/** The record that a gateway keeps of what it did. It is compared with the log, because either may be put back as an older copy. */
export interface GatewayLedger {
  /**
   * Its unique name. Later calls of the gateway are for that ledger only: with another one it does nothing.
   * @throws GatewayOutcomeUnknown while the gateway does not answer
   */
  identity(): Promise<string>;

  /**
   * What the gateway has done for this installation since a mark, one bounded part. It reads nothing before the mark.
   * @throws OtherLedger if it has no such mark; GatewayOutcomeUnknown while the gateway does not answer
   */
  linesAfter(mark: LedgerMark): Promise<LedgerPage>;
}

/** A ledger in the data folder of this process, which alone writes it. */
export interface LedgerHere extends GatewayLedger {
  readonly place: 'here';
  /** How far it is on disk. */
  readonly mark: LedgerMark;
  /** Whether it was begun when it was opened. */
  readonly isNew: boolean;
  /** Whether it has on disk what this mark says. */
  reaches(mark: LedgerMark): Promise<boolean>;
}

/** A ledger of another process, which several processes know. */
export interface LedgerElsewhere extends GatewayLedger {
  readonly place: 'elsewhere';
  /** How far it is known to be on disk, by the gateway's answers; undefined before the first one. */
  readonly mark: LedgerMark | undefined;
  /** From now on each call requires a ledger that has come this far. */
  means(mark: LedgerMark | undefined): void;
  /**
   * How far it is on disk, and whether it has what is known of it.
   * @throws GatewayOutcomeUnknown while the gateway does not answer
   */
  look(known: LedgerMark | undefined): Promise<{ readonly mark: LedgerMark; readonly reached: boolean }>;
}

/** No answer came in time, so the outcome is unknown. The work lists repeat the same call until an answer comes. */
export class GatewayOutcomeUnknown extends Error {
  override name = 'GatewayOutcomeUnknown';
}

/** The gateway uses another ledger than before, or an older copy. It has not done what this call asked for. */
export class OtherLedger extends GatewayOutcomeUnknown {
  override name = 'OtherLedger';
}

/** A final refusal: the gateway will never do this. An earlier try of the same call may have succeeded. */
export class GatewayRefused extends Error {
  override name = 'GatewayRefused';
}

/**
 * Takes money and gives it back (ruling D7). Every call has a key: the gateway acts once per key and answers a repeat like
 * the first call. Each call settles within the gateway's timeout, or rejects with GatewayOutcomeUnknown.
 */
export abstract class PaymentGateway {
  /** The gateway's name; events hold it, so that people find the money's record. */
  abstract get name(): string;

  /** Its ledger; undefined if it has none that anybody could compare with the log. */
  get ledger(): LedgerHere | LedgerElsewhere | undefined {
    return undefined;
  }

  /**
   * Resolves if nothing forbids calls to the gateway. Await it before you begin something that needs the gateway.
   * @throws Unavailable if an operator must act first
   */
  usable(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * @param key the purchase's id
   * @throws GatewayRefused | GatewayOutcomeUnknown
   */
  abstract charge(key: string, charge: Charge): Promise<ChargeOutcome>;

  /**
   * Gives back a part of a charge, or all of it.
   * @param key the refund's own id
   * @param amount cents
   * @throws GatewayRefused | GatewayOutcomeUnknown
   */
  abstract refund(key: string, charged: { readonly key: string; readonly amount: number }): Promise<Done>;

  /**
   * Closes a charge with an unknown outcome. A charge that comes later gets `cancelled`; the gateway gives an approved one
   * back in full. It never refuses this for good: until it has closed the charge, the outcome stays unknown.
   * @param key of the charge
   * @returns the cents given back
   * @throws GatewayOutcomeUnknown
   */
  abstract cancel(key: string): Promise<Done & { readonly amount: number }>;
}
