import { DAY, DomainError, defineDecider, type Instant } from '#kernel';
import type { PurchaseCouponReplaced, PurchaseEvent, PurchaseOpened, PurchaseRecorded } from './purchase.events.js';
import { couponsLeftOf, evolve, noPurchase, unitsLeftOf, type PurchaseState } from './purchase.state.js';

export type PurchaseCommand =
  | { readonly type: 'record'; readonly purchase: PurchaseRecorded }
  | { readonly type: 'open'; readonly purchase: PurchaseOpened }
  /** What the gateway said of the charge. */
  | { readonly type: 'charged' }
  | { readonly type: 'declined'; readonly reason: string }
  /** An operator gives up on a charge whose outcome never came; then what the gateway said to that. */
  | { readonly type: 'ask-void'; readonly reason: string }
  | { readonly type: 'voided'; readonly refunded: boolean }
  /** An operator takes back all that is left of it; `issued` are the coupons of the sale. */
  | { readonly type: 'ask-refund'; readonly issued: readonly string[]; readonly reason: string }
  | { readonly type: 'cancel-coupon'; readonly coupon_id: string }
  | { readonly type: 'replace-coupon'; readonly replaced: PurchaseCouponReplaced }
  /** The gateway has given back what was taken for a coupon. */
  | { readonly type: 'money-returned'; readonly coupon_id: string };

/** One purchase, and the money that our gateway took for it. */
export const purchase = defineDecider<PurchaseCommand, PurchaseState, PurchaseEvent>({
  category: 'purchase',
  initialState: noPurchase,
  evolve,
  decide(command, state, now) {
    switch (command.type) {
      case 'record':
        return state.status === 'none' ? [{ type: 'purchase-recorded.v1', data: command.purchase }] : [];
      case 'open':
        return state.status === 'none' ? [{ type: 'purchase-opened.v1', data: command.purchase }] : [];
      case 'charged':
        return state.status === 'charging' ? [charged(state.opened, now)] : [];
      case 'declined': {
        if (state.status !== 'charging') return [];
        return [{ type: 'purchase-declined.v1', data: { ...closed(state.opened), reason: command.reason } }];
      }
      case 'ask-void':
        return askVoid(state, command.reason);
      case 'voided': {
        if (state.status !== 'voiding') return [];
        return [{ type: 'purchase-voided.v1', data: { ...closed(state.opened), refunded: command.refunded } }];
      }
      case 'ask-refund':
        return askRefund(state, command);
      case 'cancel-coupon':
        return cancelCoupon(state, command.coupon_id);
      case 'replace-coupon': {
        const { coupon_id, replacement_id } = command.replaced;
        if (state.status !== 'sold' || state.replacements[coupon_id] === replacement_id) return [];
        return [{ type: 'purchase-coupon-replaced.v1', data: command.replaced }];
      }
      case 'money-returned': {
        const { coupon_id } = command;
        if (state.status !== 'sold' || !state.money_due.includes(coupon_id)) return [];
        return [{ type: 'purchase-money-returned.v1', data: { purchase_id: state.made.purchase_id, coupon_id } }];
      }
    }
  },
});

function charged(opened: PurchaseOpened, now: Instant): PurchaseEvent {
  const { purchase_id, partner_id, user_id, deal, coupons, expires_at, expiration_days } = opened;
  const coupons_expire_at = expiration_days === null ? expires_at : now + expiration_days * DAY;
  return {
    type: 'purchase-charged.v1',
    data: { purchase_id, partner_id, user_id, deal, coupons, coupons_expire_at },
  };
}

/** From now on the gateway is asked to cancel, and what becomes of the charge counts no more (ruling G5). */
function askVoid(state: PurchaseState, reason: string): PurchaseEvent[] {
  switch (state.status) {
    case 'charging':
      return [{ type: 'purchase-void-asked.v1', data: { ...closed(state.opened), reason } }];
    case 'voiding':
    case 'voided':
      return [];
    case 'none':
      throw new DomainError('not_found', 'Unable to find');
    case 'declined':
    case 'sold':
      throw new DomainError(
        'purchase_not_open',
        state.status === 'sold' ? 'the purchase is paid: refund it' : 'the purchase was declined: nothing was charged',
      );
  }
}

/** Every coupon that is left is to be cancelled, and with the last one the purchase reads refunded (rulings D14, G5). */
function askRefund(
  state: PurchaseState,
  { issued, reason }: { readonly issued: readonly string[]; readonly reason: string },
): PurchaseEvent[] {
  if (state.status === 'none') throw new DomainError('not_found', 'Unable to find');
  if (state.status !== 'sold') {
    throw new DomainError('purchase_not_sold', 'the purchase is not paid: there is nothing to refund');
  }
  if (state.refund_asked || unitsLeftOf(state) === 0) return [];
  const coupons = couponsLeftOf(state, issued);
  return [{ type: 'purchase-refund-asked.v1', data: { purchase_id: state.made.purchase_id, coupons, reason } }];
}

/** What our gateway took for the coupon goes back; the last one brings what rounding or a discount has left. */
function cancelCoupon(state: PurchaseState, coupon_id: string): PurchaseEvent[] {
  if (state.status !== 'sold' || state.cancelled.includes(coupon_id)) return [];
  const { purchase_id, amount, price } = state.made;
  const units_left = unitsLeftOf(state) - 1;
  const share = units_left === 0 ? amount - state.refunded : price;
  const refund = state.charged ? share : 0;
  const refunded = state.refunded + refund;
  return [{ type: 'purchase-coupon-cancelled.v1', data: { purchase_id, coupon_id, refund, refunded, units_left } }];
}

function closed({ purchase_id, user_id, deal }: PurchaseOpened): {
  readonly purchase_id: string;
  readonly user_id: string;
  readonly deal_id: string;
} {
  return { purchase_id, user_id, deal_id: deal.id };
}
