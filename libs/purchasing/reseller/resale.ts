import { DomainError, type Instant } from '#kernel';

/** The parameters of a reseller's purchase, in the order in which the interface requires them (4.6.2). */
export const RESALE_FIELDS = [
  'deal_id',
  'quantity',
  'transaction_reference',
  'transaction_date',
  'transaction_amount',
  'first_name',
  'last_name',
  'address_type',
  'address1',
  'address2',
  'postal_code',
  'city',
  'state',
  'country',
  'telephone',
] as const;
export type ResaleField = (typeof RESALE_FIELDS)[number];

/** The kinds of deal, by what a resale of them requires (interface 4.6.2). */
export type ResaleKind = 'prepaid' | 'shipped' | 'card-linked';

const ALWAYS = ['deal_id', 'transaction_reference', 'transaction_date', 'transaction_amount'] as const;
const PREPAID = [...ALWAYS, 'quantity', 'first_name', 'last_name'] as const;

/** What each kind requires. */
export const REQUIRED: Readonly<Record<ResaleKind, readonly ResaleField[]>> = {
  'card-linked': ALWAYS,
  prepaid: PREPAID,
  shipped: RESALE_FIELDS,
};

/** The buyer of a reseller, and where the goods go; null for what the reseller did not send. Events have it sealed. */
export interface ResaleBuyer {
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly address_type: string | null;
  readonly address1: string | null;
  readonly address2: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly telephone: string | null;
}

/** A reseller's transaction as it was sent. */
export interface SentResale {
  readonly deal_id: string;
  readonly transaction_reference: string;
  readonly transaction_date: Instant;
  /** Cents. */
  readonly transaction_amount: number;
  readonly quantity: number;
  /** Null if nothing was sent about them. */
  readonly buyer: ResaleBuyer | null;
}

/** A partner's order to record a transaction. */
export interface ResaleOrder {
  /** Undefined if it is absent or no text. */
  readonly deal_id: string | undefined;
  /** Parameters that were not sent. */
  readonly absent: readonly ResaleField[];
  /** Undefined if a parameter has a fault, or if one is absent that every kind requires. */
  readonly sent: SentResale | undefined;
}

/** A fault of an order that is known before the decision. */
export type ResaleFault =
  | { readonly code: 'missing'; readonly field: ResaleField }
  /** A card-linked transaction has one coupon (ruling D11). */
  | { readonly code: 'more_than_one' }
  | { readonly code: 'unknown_deal' };

/** Refuses an order with all its faults. */
export class ResaleInvalid extends DomainError {
  constructor(readonly faults: readonly ResaleFault[]) {
    super('resale_invalid', 'the purchase is not possible');
  }
}
