import { defineWorkList, direct, SECOND, unchanged, type WorkRow } from '#kernel';
import { coupon } from '../coupon/coupon.decider.js';
import type { PurchaseEvent } from '../purchase/purchase.events.js';

/** Coupons of a purchase that an operator refunds and that are not cancelled yet. */
export interface AskedRefund extends WorkRow {
  readonly coupons: readonly string[];
  readonly reason: string;
}

/** The refunding call cancels the coupons itself; the work list waits for it: a fixed time, and more for each coupon. */
const DRIVEN_FOR = 5 * SECOND;
const DRIVEN_FOR_EACH = SECOND / 10;

/** Cancels the rest of a refunded purchase's coupons if the call broke off. */
export const askedRefunds = defineWorkList<AskedRefund, PurchaseEvent>({
  name: 'asked-refunds',
  version: 2,
  key: (event) => event.data.purchase_id,
  on: {
    'purchase-recorded.v1': unchanged,
    'purchase-opened.v1': unchanged,
    'purchase-charge-lost.v1': unchanged,
    'purchase-charge-refused.v1': unchanged,
    'purchase-charged.v1': unchanged,
    'purchase-declined.v1': unchanged,
    'purchase-void-asked.v1': unchanged,
    'purchase-voided.v1': unchanged,
    'purchase-refund-asked.v1': (_, { data: { coupons, reason }, metadata }) => ({
      coupons,
      reason,
      due_at: metadata.time + DRIVEN_FOR + coupons.length * DRIVEN_FOR_EACH,
    }),
    'purchase-coupon-cancelled.v1': (row, { data }) => {
      const coupons = row?.coupons.filter((each) => each !== data.coupon_id) ?? [];
      return row && coupons.length > 0 ? { ...row, coupons } : undefined;
    },
    'purchase-coupon-replaced.v1': (row, { data: { coupon_id, replacement_id } }) =>
      row && { ...row, coupons: row.coupons.map((each) => (each === coupon_id ? replacement_id : each)) },
    'purchase-money-returned.v1': unchanged,
    'purchase-money-refused.v1': unchanged,
    'purchase-resold.v1': unchanged,
    'purchase-resale-abandoned.v1': unchanged,
    'purchase-buyer-erased.v1': unchanged,
  },
  shown: {
    does: 'Cancels the coupons of a purchase that an operator refunds, if the call broke off.',
    about: (purchase_id) => ({ purchase_id }),
    insteadOfAbandoning: (purchase_id) =>
      `mend what its error says, and try it again, or refund the purchase again (\`holdfast purchases refund ${purchase_id} --reason …\`): the buyer was promised the rest`,
  },
  command: (_, { coupons, reason }) => coupons.map((id) => direct(coupon, id, { type: 'cancel', reason })),
});
