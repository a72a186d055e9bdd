import { DomainError, type Instant } from '#kernel';
import type { Looked } from '#kernel/collections';
import { countOf } from './code-pool.js';
import type { InventoryEvent, NewCoupon } from './inventory.events.js';
import { unitsLeft, unitsOf, type InventoryState } from './inventory.state.js';
import { sellsAt, type SaleTerms } from './sale-terms.js';
import { freeUnits, MAX_QUANTITY, refusal, sellingTerms, unitsAfter, withUnits } from './units.js';

/** Holds units while the gateway charges a card. */
export interface StartCheckout extends Looked {
  readonly type: 'start-checkout';
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly credit_card_id: string;
  readonly shipping_address_id: string | null;
  readonly session_id: string | null;
  readonly quantity: number;
  /** Cents per unit that the buyer has seen; null if the request does not name it (ruling D5). */
  readonly expected_price: number | null;
  /** One per unit. */
  readonly coupons: readonly NewCoupon[];
  /** Milliseconds after which the work list takes over an open checkout. */
  readonly takeover_after: number;
}

/** The outcome of a checkout's charge: its units are sold, or free again. */
export interface CloseCheckout {
  readonly type: 'close-checkout';
  readonly purchase_id: string;
  readonly sold: boolean;
}

/** A fault of the purchase itself, and the right value (rulings D5, D6). */
export type PurchaseFault =
  /** The most units that the user may buy; 0 if they have as many as one user may have. */
  | { readonly code: 'too_many'; readonly at_most: number }
  /** Cents per unit. */
  | { readonly code: 'other_price'; readonly price: number };

/** Refuses a purchase with all its faults. */
export class PurchaseInvalid extends DomainError {
  constructor(readonly faults: readonly PurchaseFault[]) {
    super('purchase_invalid', 'the purchase is not possible');
  }
}

/** The parts of a purchase to check; a missing or wrong part is undefined. */
export interface Wanted {
  /** undefined for a user who does not exist yet. */
  readonly user_id: string | undefined;
  readonly quantity: number | undefined;
  readonly expected_price: number | undefined;
}

/**
 * All faults of a purchase of a deal that sells. If no unit is left at all, the quantity is not at fault.
 */
export function purchaseFaults(state: InventoryState, wanted: Wanted, now: Instant): readonly PurchaseFault[] {
  const { terms } = state;
  if (terms === null || !sellsAt(terms, now)) return [];
  const { quantity, expected_price } = wanted;
  const faults: PurchaseFault[] = [];
  if (quantity !== undefined) {
    const left = unitsLeft(freeUnits(state, now, (each) => unitsLeft(each) >= quantity).state);
    const at_most = Math.max(0, Math.min(left, allowed(state, terms, wanted.user_id, now)));
    if (quantity < 1 || (left > 0 && quantity > at_most)) faults.push({ code: 'too_many', at_most });
  }
  if (expected_price !== undefined && expected_price !== terms.price) {
    faults.push({ code: 'other_price', price: terms.price });
  }
  return faults;
}

/** The most units in one more purchase of this user. */
function allowed(state: InventoryState, { max_per_user }: SaleTerms, userId: string | undefined, now: Instant): number {
  const has = userId === undefined ? 0 : unitsOf(state, userId, now);
  return Math.min(MAX_QUANTITY, (max_per_user ?? Infinity) - has);
}

/**
 * Holds the units and their codes until the charge has an outcome. A user has at most one open checkout.
 * @throws DomainError deal_not_found | cannot_fulfill | already_charging
 * @throws PurchaseInvalid
 * @throws LookAgain
 */
export function startCheckout(state: InventoryState, command: StartCheckout, now: Instant): InventoryEvent[] {
  const { purchase_id, user_id, quantity, expected_price } = command;
  if (state.checkouts.has(purchase_id) || state.recent.isRepeat(purchase_id, command)) return [];
  const terms = sellingTerms(state, now);
  const open = state.checkoutOfUser.get(user_id);
  if (open !== undefined) {
    throw new DomainError('already_charging', 'an existing purchase is still processing', {
      purchase_id: open,
      detail: 'wait until GET /purchases/<purchase_id> shows it charged or declined',
    });
  }
  const { events, state: freed } = freeUnits(state, now, (each) => unitsLeft(each) >= quantity);
  if (unitsLeft(freed) < 1) throw refusal('nothing is left');
  const faults = purchaseFaults(freed, { user_id, quantity, expected_price: expected_price ?? undefined }, now);
  if (faults.length > 0) throw new PurchaseInvalid(faults);
  const { partner_id, credit_card_id, shipping_address_id, session_id, coupons, takeover_after } = command;
  const started: InventoryEvent = {
    type: 'checkout-started.v1',
    data: {
      purchase_id,
      number: freed.next_number,
      partner_id,
      user_id,
      credit_card_id,
      shipping_address_id,
      session_id,
      quantity,
      price: terms.price,
      deal: terms.deal,
      coupons: withUnits(freed, coupons),
      expires_at: terms.expires_at,
      expiration_days: terms.expiration_days,
      takeover_at: now + takeover_after,
      ...unitsAfter({ ...freed, held: freed.held + quantity }),
    },
  };
  return [...events, started];
}

/** Sells the units of a checkout, or frees them and their codes. Never refuses: the gateway has decided. */
export function closeCheckout(state: InventoryState, { purchase_id, sold }: CloseCheckout): InventoryEvent[] {
  const checkout = state.checkouts.get(purchase_id);
  if (checkout === undefined) return [];
  const { number, user_id, quantity, codes } = checkout;
  const held = state.held - quantity;
  if (!sold) {
    const units = unitsAfter({ ...state, held });
    return [{ type: 'checkout-undone.v1', data: { purchase_id, number, user_id, quantity, ...units } }];
  }
  const units = unitsAfter({ ...state, held, sold: state.sold + quantity }, countOf(codes));
  return [{ type: 'checkout-sold.v1', data: { purchase_id, number, user_id, quantity, ...units } }];
}
