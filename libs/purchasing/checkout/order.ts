import { DomainError, type Position } from '#kernel';
import type { Address, CardDetails, NewUser } from '#people';
import type { PurchaseFault } from '../inventory/checkout.rules.js';

/** Whether user, card and address may come along, or are named by their ids alone. */
export type OrderKind = 'full' | 'stored-card';

/** How an order names its user, card or address. */
export type Given<Details> =
  /** `withDetails`: the details are there, too, and nobody can tell which of the two is meant. */
  | { readonly by: 'id'; readonly id: string; readonly withDetails: boolean }
  | { readonly by: 'details'; readonly details: Details }
  /** It is there and makes no sense. Whoever read the order knows why. */
  | { readonly by: 'unreadable' }
  | { readonly by: 'nothing' };

/** A buyer by their details: a known e-mail address is enough, a new user needs the rest. */
export interface BuyerDetails {
  readonly email: string;
  /** Undefined where the rest makes no sense. */
  readonly user: NewUser | undefined;
}

/** What a partner wants to buy with a card (interface 4.6, 4.6.1). What makes no sense of a purchase is undefined in it. */
export interface Order {
  readonly kind: OrderKind;
  readonly deal_id: string | undefined;
  readonly quantity: number | undefined;
  /** Cents per unit that the buyer has seen. */
  readonly expected_price: number | undefined;
  /** The affiliate session. */
  readonly session_id: string | undefined;
  /** Whether deal, quantity, price and session all make sense. */
  readonly readable: boolean;
  readonly buyer: Given<BuyerDetails>;
  readonly card: Given<CardDetails>;
  readonly address: Given<Address>;
  /** Of a new card, for its charge alone: it is stored nowhere, and each try of a request brings its own. */
  readonly verification_value: string | undefined;
}

type FaultOfNamed = 'unreadable' | 'missing' | 'unknown' | 'named_twice';

/**
 * What can be wrong with an order, by its part: `named_twice` is both an id and details, `of_another` belongs to another user
 * of the partner.
 */
export type OrderFault =
  | { readonly part: 'buyer'; readonly code: FaultOfNamed | 'deleted' }
  | { readonly part: 'card'; readonly code: FaultOfNamed | 'of_another' }
  | { readonly part: 'address'; readonly code: FaultOfNamed | 'of_another' }
  | { readonly part: 'deal'; readonly code: 'unknown' }
  | { readonly part: 'purchase'; readonly code: 'unreadable' }
  | ({ readonly part: 'purchase' } & PurchaseFault);

/** Refuses an order, with all that is wrong with it. User and card may be stored all the same. */
export class OrderInvalid extends DomainError {
  constructor(
    readonly faults: readonly OrderFault[],
    details: DomainError['details'] = {},
    position?: Position,
  ) {
    super('purchase_invalid', 'the purchase is not possible', details, position);
  }
}
