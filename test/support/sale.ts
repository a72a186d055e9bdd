import type { DealSummary, InventoryCommand, SaleTerms } from '#purchasing/model';
import { MINUTE } from '#kernel';

/** When the made-up deal begins to sell. */
export const START = 1_800_000_000_000;
export const HOLD = 5 * MINUTE;

/** Changes of the made-up terms; `deal_revision` is that of the deal's event that set them, 0 if absent. */
export type TermsChanges = Partial<SaleTerms> & { readonly deal_revision?: number };

/** The terms of a deal that sells for a hundred hours from START. */
export function terms({ deal_revision: revision = 0, ...changes }: TermsChanges = {}): SaleTerms {
  return {
    deal: { id: 'spa-day', revision, title: 'A day at the spa', type: 'daily-deal', image: '/spa.jpg' },
    on_sale: true,
    start_at: START,
    end_at: START + 6_000 * MINUTE,
    price: 1_999,
    max_per_user: null,
    expires_at: START + 10_000 * MINUTE,
    expiration_days: null,
    ...changes,
  };
}

/** What a sale says of a made-up deal with this slug. */
export function summaryOf(deal: string): DealSummary {
  return { id: deal, revision: 0, title: deal, type: 'daily-deal', image: null };
}

export type ClaimCommand = Extract<InventoryCommand, { type: 'claim' }>;

/** A user's claim of a reservation: of the deal's first one, unless its number is given. */
export function claimOf(purchase_id: string, user_id: string, quantity = 1, number = 0): ClaimCommand {
  return {
    type: 'claim',
    number,
    purchase_id,
    partner_id: 'acme',
    user_id,
    holder_id: null,
    quantity,
    price: 1_999,
    deal: terms().deal,
    reserved_at: START,
    coupons: Array.from({ length: quantity }, (_, number) => ({
      id: `${purchase_id}-c${number}`,
      barcode: String(number).padStart(12, '0'),
    })),
  };
}

/** A reservation of some units, by the partner or by a user's access token. */
export function placeOf(
  reservation_id: string,
  quantity = 1,
  holder_id: string | null = null,
): Extract<InventoryCommand, { type: 'place-hold' }> {
  return { type: 'place-hold', looked: Infinity, reservation_id, partner_id: 'acme', quantity, holder_id };
}

export type StartCommand = Extract<InventoryCommand, { type: 'start-checkout' }>;

/** A checkout of a user, at the price of the made-up deal. */
export function checkoutOf(purchase_id: string, user_id: string, quantity = 1): StartCommand {
  return {
    type: 'start-checkout',
    looked: Infinity,
    purchase_id,
    partner_id: 'acme',
    user_id,
    credit_card_id: `card-of-${user_id}`,
    shipping_address_id: null,
    session_id: null,
    quantity,
    expected_price: null,
    coupons: claimOf(purchase_id, user_id, Math.max(quantity, 0)).coupons,
    takeover_after: 15_000,
  };
}

/** The gateway's outcome of a checkout. */
export function closeOf(purchase_id: string, sold: boolean): InventoryCommand {
  return { type: 'close-checkout', purchase_id, sold };
}

/** A resale of some units under the reference of the purchase. */
export function resaleOf(
  resale_id: string,
  purchase_id: string,
  quantity = 1,
): Extract<InventoryCommand, { type: 'start-resale' }> {
  const { coupons } = claimOf(purchase_id, 'nobody', Math.max(quantity, 0));
  return {
    type: 'start-resale',
    looked: Infinity,
    resale_id,
    purchase_id,
    partner_id: 'acme',
    quantity,
    coupons,
    takeover_after: MINUTE,
  };
}

/** What the purchase decided about a resale. */
export function closeResaleOf(
  resale_id: string,
  purchase_id: string,
  sold: boolean,
): Extract<InventoryCommand, { type: 'close-resale' }> {
  return { type: 'close-resale', resale_id, purchase_id, sold };
}

/** The release of a reservation: of the deal's first one, unless its number is given. */
export function releaseOf(reservation_id: string, number = 0): InventoryCommand {
  return { type: 'release', reservation_id, number };
}

/** The return of a coupon's unit: by its number in the purchase, if that was the deal's first sale. */
export function returnOf(purchase_id: string, user_id: string | null, number: number, unit = number): InventoryCommand {
  return { type: 'return-unit', coupon_id: `${purchase_id}-c${number}`, unit, purchase_id, user_id };
}
