import type { Instant } from '#kernel';
import type { Looked } from '#kernel/collections';
import type { InventoryEvent, NewCoupon } from './inventory.events.js';
import { codesIn, type InventoryState } from './inventory.state.js';
import { MAX_QUANTITY, unitsAfter, unitsFor, withUnits } from './units.js';

/** Holds units while the purchase of a reseller decides whether its transaction reference is free (ruling D11). */
export interface StartResale extends Looked {
  readonly type: 'start-resale';
  /** The same content under the same reference has the same id until such a resale is abandoned. */
  readonly resale_id: string;
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly quantity: number;
  /** One per unit; none for a quantity that is refused anyway. */
  readonly coupons: readonly NewCoupon[];
  /** Milliseconds after which the work list abandons an open resale. */
  readonly takeover_after: number;
}

/** What the purchase decided: the units are sold, or free again. */
export interface CloseResale {
  readonly type: 'close-resale';
  readonly resale_id: string;
  readonly purchase_id: string;
  readonly sold: boolean;
}

/**
 * Holds the units and their codes until the purchase has decided. A closed resale starts nothing again.
 * @throws DomainError deal_not_found | cannot_fulfill
 * @throws LookAgain
 */
export function startResale(state: InventoryState, command: StartResale, now: Instant): InventoryEvent[] {
  const { resale_id, purchase_id, partner_id, quantity, takeover_after } = command;
  if (state.resales.has(resale_id) || state.recent.isRepeat(resale_id, command)) return [];
  const { terms, events, state: freed } = unitsFor(state, quantity, now);
  const started: InventoryEvent = {
    type: 'resale-started.v1',
    data: {
      resale_id,
      number: freed.next_number,
      purchase_id,
      partner_id,
      quantity,
      price: terms.price,
      deal: terms.deal,
      coupons: withUnits(freed, command.coupons),
      expires_at: terms.expires_at,
      expiration_days: terms.expiration_days,
      takeover_at: now + takeover_after,
      ...unitsAfter({ ...freed, held: freed.held + quantity }),
    },
  };
  return [...events, started];
}

/** Sells the units of a resale, or frees them and their codes. Never refuses: the purchase has decided. */
export function closeResale(state: InventoryState, { resale_id, purchase_id, sold }: CloseResale): InventoryEvent[] {
  const resale = state.resales.get(resale_id);
  if (resale === undefined) return [];
  const {
    number,
    terms: { quantity, coupons },
  } = resale;
  const held = state.held - quantity;
  if (!sold) {
    const units = unitsAfter({ ...state, held });
    return [{ type: 'resale-undone.v1', data: { resale_id, number, purchase_id, quantity, ...units } }];
  }
  const units = unitsAfter({ ...state, held, sold: state.sold + quantity }, codesIn(coupons).length);
  return [{ type: 'resale-sold.v1', data: { resale_id, number, purchase_id, quantity, ...units } }];
}

/** Whether a resale of so many units needs coupons: the decider refuses a larger quantity. */
export function isPossibleQuantity(quantity: number): boolean {
  return quantity >= 1 && quantity <= MAX_QUANTITY;
}
