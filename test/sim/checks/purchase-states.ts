import { idOf, type Recorded } from '#kernel';
import { Violation } from './violation.js';

/** What a purchase must show. */
interface Expected {
  payment: string;
  fulfillment: string;
  user: string | null;
  units: number;
  /** The states of its coupons, by id, with the time of their redemption. */
  readonly coupons: Map<string, string>;
}

interface Data {
  readonly purchase_id: string;
  readonly coupon_id: string;
  readonly user_id: string;
  readonly quantity: number;
  readonly refunded: boolean;
}

/** The part of a purchase's row that is compared. */
interface Shown {
  readonly payment_state: string;
  readonly fulfillment_state: string;
  readonly user_id: string | null;
  readonly coupons: readonly {
    readonly coupon_id: string;
    readonly state: string;
    readonly redeemed_at: number | null;
  }[];
}

/**
 * Every purchase shows the states that follow from what happened to it (interface 3.2 and 3.4, rulings B6 and D12). Nothing of the
 * product is used for that, so it also finds a view that folds events wrongly.
 * @param rows of the view of purchases, by id
 * @throws Violation
 */
export function checkPurchaseStates(
  events: readonly Recorded[],
  rows: ReadonlyMap<string, { readonly row: object }>,
): void {
  const purchases = new Map<string, Expected>();
  for (const event of events) follow(purchases, event);
  for (const [id, { payment, fulfillment, user, coupons }] of purchases) {
    const row = rows.get(id)?.row as Shown | undefined;
    const expected = [payment, fulfillment, user, ...[...coupons].map((each) => each.join(' ')).sort()].join(', ');
    const shown = [
      row?.payment_state,
      row?.fulfillment_state,
      row?.user_id,
      ...(row?.coupons ?? []).map((each) => `${each.coupon_id} ${each.state}${each.redeemed_at ?? ''}`).sort(),
    ].join(', ');
    if (shown !== expected)
      throw new Violation('a purchase shows what happened to it', `purchase ${id}`, `${shown}; expected ${expected}`);
  }
}

function follow(purchases: Map<string, Expected>, { type, stream, data, metadata }: Recorded): void {
  const { purchase_id, coupon_id, user_id, quantity, refunded } = data as Data;
  const purchase = purchases.get(purchase_id);
  const begin = (payment: string, fulfillment: string, user: string | null): void => {
    const coupons = purchase?.coupons ?? new Map<string, string>();
    purchases.set(purchase_id, { payment, fulfillment, user, units: quantity, coupons });
  };
  const becomes = (payment: string, fulfillment: string): void => {
    if (purchase !== undefined) Object.assign(purchase, { payment, fulfillment });
  };
  switch (type) {
    case 'reservation-placed.v1':
      return begin('pending', 'reserved', null);
    case 'reservation-released.v1':
    case 'reservation-expired.v1':
      // A late claim may have come first.
      if (purchase?.fulfillment === 'reserved') becomes('pending', 'released');
      return;
    case 'purchase-recorded.v1':
      return begin('charged', 'fulfilled', user_id);
    case 'purchase-resold.v1':
      return begin('charged', 'fulfilled', null);
    case 'purchase-opened.v1':
      return begin('pending', 'pending', user_id);
    case 'purchase-charged.v1':
      return becomes('charged', 'fulfilled');
    case 'purchase-declined.v1':
      return becomes('declined', 'cancelled');
    case 'purchase-voided.v1':
      return becomes(refunded ? 'refunded' : 'declined', 'cancelled');
    case 'purchase-coupon-cancelled.v1':
      if (purchase !== undefined && --purchase.units === 0) becomes('refunded', 'cancelled');
      return;
    case 'coupon-issued.v1':
      purchase?.coupons.set(coupon_id, 'valid');
      return;
    case 'coupon-redeemed.v1':
      purchase?.coupons.set(idOf(stream), `redeemed${metadata.time}`);
      return;
    case 'coupon-reissued.v1':
      // If it was redeemed, that was a mistake.
      purchase?.coupons.set(idOf(stream), 'reissued');
      return;
    case 'coupon-cancelled.v1': {
      const redeemed = /^redeemed(\d+)$/.exec(purchase?.coupons.get(idOf(stream)) ?? '')?.[1] ?? '';
      purchase?.coupons.set(idOf(stream), `cancelled${redeemed}`);
    }
  }
}
