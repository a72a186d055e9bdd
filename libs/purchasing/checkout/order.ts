import { DomainError, type Position } from '#kernel';
import type { Address, CardDetails, NewUser } from '#people';
import type { PurchaseFault } from '../inventory/checkout.rules.js';

/** `full`: the order may bring a new user, card and address. `stored-card`: only their ids. */
export type OrderKind = 'full' | 'stored-card';

/** How an order names its user, card or address. */
export type Given<Details> =
  /** `withDetails`: the order has details too, so it is unclear which of the two is meant. */
  | { readonly by: 'id'; readonly id: string; readonly withDetails: boolean }
  | { readonly by: 'details'; readonly details: Details }
  /** The parameter has faults; `ReadOrder` has them. */
  | { readonly by: 'unreadable' }
  | { readonly by: 'nothing' };

/** A buyer by their details: for a known user the e-mail address is enough, a new user needs the rest. */
export interface BuyerDetails {
  readonly email: string;
  /** Undefined if the rest has faults. */
  readonly user: NewUser | undefined;
}

/** A partner's order to buy with a card (interface 4.6, 4.6.1). Parts of the purchase with faults are undefined. */
export interface Order {
  readonly kind: OrderKind;
  readonly deal_id: string | undefined;
  readonly quantity: number | undefined;
  /** Cents per unit that the buyer has seen. */
  readonly expected_price: number | undefined;
  /** The affiliate session. */
  readonly session_id: string | undefined;
  /** Whether deal, quantity, price and session are all valid. */
  readonly readable: boolean;
  readonly buyer: Given<BuyerDetails>;
  readonly card: Given<CardDetails>;
  readonly address: Given<Address>;
  /** Of a new card, for its charge only: nothing stores it, and each try of a request brings it again. */
  readonly verification_value: string | undefined;
}

type FaultOfNamed = 'unreadable' | 'missing' | 'unknown' | 'named_twice';

/**
 * A fault of an order, by its part. `named_twice`: both an id and details; `of_another`: it belongs to another user of the
 * partner; `used_up`: the buyer has had as many cards as a user may have, and not this one.
 */
export type OrderFault =
  | { readonly part: 'buyer'; readonly code: FaultOfNamed | 'deleted' }
  | { readonly part: 'card'; readonly code: FaultOfNamed | 'of_another' | 'used_up' }
  | { readonly part: 'address'; readonly code: FaultOfNamed | 'of_another' }
  | { readonly part: 'deal'; readonly code: 'unknown' }
  | { readonly part: 'purchase'; readonly code: 'unreadable' }
  | ({ readonly part: 'purchase' } & PurchaseFault);

/** Refuses an order with all its faults. The service may have stored user and card. */
export class OrderInvalid extends DomainError {
  constructor(
    readonly faults: readonly OrderFault[],
    details: DomainError['details'] = {},
    position?: Position,
  ) {
    super('purchase_invalid', 'the purchase is not possible', details, position);
  }
}
