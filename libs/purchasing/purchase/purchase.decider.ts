import { DomainError, notFound, defineDecider, type Instant } from '#kernel';
import { CURRENCY, vouchersExpireAt } from '../inventory/sale-terms.js';
import { abandonResale, resell, type ResaleMade } from './resold.rules.js';
import {
  type CouponMoney,
  type Payment,
  type PurchaseCouponReplaced,
  type PurchaseEvent,
  type PurchaseOpened,
  type PurchaseRecorded,
  type ResaleAbandoned,
} from './purchase.events.js';
import {
  couponsLeftOf,
  evolve,
  noPurchase,
  moneyDueFor,
  refundByOf,
  unitsLeftOf,
  type BeingCharged,
  type PurchaseState,
  type BeingVoided,
} from './purchase.state.js';

/** How money moved: the card's last four digits, the gateway's name, and its reference if it gave one. */
export type Handling = Pick<Payment, 'last4' | 'gateway' | 'reference'>;

/** The outcome of a charge; `lost_since` is the number of lost attempts after the first lost one. */
interface Outcome {
  readonly by: Handling;
  readonly lost_since: number;
}

export type PurchaseCommand =
  | { readonly type: 'record'; readonly purchase: PurchaseRecorded }
  | { readonly type: 'open'; readonly purchase: PurchaseOpened }
  /** A reseller's transaction (ruling D11); `abandon-resale` gives its units back instead, unless it is the purchase. */
  | { readonly type: 'resell'; readonly resale: ResaleMade }
  | { readonly type: 'abandon-resale'; readonly resale: ResaleAbandoned }
  /** The gateway did not answer. */
  | { readonly type: 'charge-lost'; readonly by: Handling }
  /** The gateway will never charge this. */
  | { readonly type: 'charge-refused'; readonly reason: string; readonly by: Handling }
  /** The outcome of the charge. */
  | ({ readonly type: 'charged' } & Outcome)
  | ({ readonly type: 'declined'; readonly reason: string; readonly number_hash: string | null } & Outcome)
  /** An operator voids a charge without an outcome; `voided` is the gateway's answer. */
  | { readonly type: 'ask-void'; readonly reason: string }
  | ({ readonly type: 'voided'; readonly amount: number } & Outcome)
  /** An operator refunds the rest of the purchase; `issued` are all coupons of the sale, as they were issued first. */
  | { readonly type: 'ask-refund'; readonly issued: readonly string[]; readonly reason: string }
  | { readonly type: 'cancel-coupon'; readonly coupon_id: string }
  | { readonly type: 'replace-coupon'; readonly replaced: PurchaseCouponReplaced }
  /** The gateway gave back the money for a coupon, or never will. */
  | { readonly type: 'money-returned'; readonly coupon_id: string; readonly by: Handling }
  | { readonly type: 'money-refused'; readonly coupon_id: string; readonly reason: string; readonly by: Handling }
  /** An operator erases the buyer (ruling G12). */
  | { readonly type: 'erase-buyer'; readonly reason: string };

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
      case 'resell':
        return resell(state, command.resale, now);
      case 'abandon-resale':
        return abandonResale(state, command.resale);
      case 'charge-lost': {
        if (state.status !== 'charging' || state.lost) return [];
        const { purchase_id, amount } = state.opened;
        return [{ type: 'purchase-charge-lost.v1', data: { purchase_id, ...payment(amount, command.by) } }];
      }
      case 'charge-refused': {
        if (state.status !== 'charging') return [];
        const { opened } = state;
        const { reason, by } = command;
        const data = { ...closed(opened), reason, ...payment(opened.amount, by) };
        return [{ type: 'purchase-charge-refused.v1', data }];
      }
      case 'charged':
        return state.status === 'charging' ? [charged(state, command, now)] : [];
      case 'declined': {
        if (state.status !== 'charging') return [];
        const { opened } = state;
        const { reason, number_hash } = command;
        const data = { ...closed(opened), reason, number_hash, ...outcome(opened.amount, state, command) };
        return [{ type: 'purchase-declined.v1', data }];
      }
      case 'ask-void':
        return askVoid(state, command.reason);
      case 'voided': {
        if (state.status !== 'voiding') return [];
        const { amount } = command;
        const data = { ...closed(state.opened), refunded: amount > 0, ...outcome(amount, state, command) };
        return [{ type: 'purchase-voided.v1', data }];
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
        const data = moneyOf(state, command);
        return data === undefined ? [] : [{ type: 'purchase-money-returned.v1', data }];
      }
      case 'money-refused': {
        const data = moneyOf(state, command);
        const { reason } = command;
        return data === undefined ? [] : [{ type: 'purchase-money-refused.v1', data: { ...data, reason } }];
      }
      case 'erase-buyer':
        return eraseBuyer(state, command.reason, now);
    }
  },
});

function eraseBuyer(state: PurchaseState, reason: string, now: Instant): PurchaseEvent[] {
  if (state.status === 'none') throw notFound('no purchase has this id');
  if (state.buyer_erased !== undefined) return [];
  const { purchase_id, user_id } = state.status === 'sold' ? state.made : state.opened;
  return [{ type: 'purchase-buyer-erased.v1', data: { purchase_id, user_id, reason, erased_at: now } }];
}

function charged(state: BeingCharged, command: Outcome, now: Instant): PurchaseEvent {
  const { purchase_id, partner_id, user_id, deal, amount, coupons } = state.opened;
  const coupons_expire_at = vouchersExpireAt(state.opened, now);
  const sale = { purchase_id, partner_id, user_id, deal, coupons, coupons_expire_at };
  return { type: 'purchase-charged.v1', data: { ...sale, ...outcome(amount, state, command) } };
}

function payment(amount: number, { last4, gateway, reference }: Handling): Payment {
  return { amount, currency: CURRENCY, last4, gateway, reference };
}

function outcome(
  amount: number,
  { lost }: BeingCharged | BeingVoided,
  { by, lost_since }: Outcome,
): Payment & { readonly lost_attempts: number } {
  return { ...payment(amount, by), lost_attempts: (lost ? 1 : 0) + lost_since };
}

/** The money due for a cancelled coupon; undefined if none is due. */
function moneyOf(
  state: PurchaseState,
  { coupon_id, by }: { readonly coupon_id: string; readonly by: Handling },
): CouponMoney | undefined {
  if (state.status !== 'sold') return undefined;
  const amount = moneyDueFor(state, coupon_id);
  if (amount === undefined) return undefined;
  return { purchase_id: state.made.purchase_id, coupon_id, ...payment(amount, by) };
}

/** From now on the service asks the gateway to cancel, and the charge's outcome no longer counts (ruling G5). */
function askVoid(state: PurchaseState, reason: string): PurchaseEvent[] {
  switch (state.status) {
    case 'charging':
      return [{ type: 'purchase-void-asked.v1', data: { ...closed(state.opened), reason } }];
    case 'voiding':
    case 'voided':
      return [];
    case 'none':
      throw notFound('no purchase has this id');
    case 'declined':
    case 'sold':
      throw new DomainError(
        'purchase_not_open',
        state.status === 'sold' ? 'the purchase is paid: refund it' : 'the purchase was declined: nothing was charged',
      );
  }
}

/** Asks to cancel every coupon that is left; with the last one the purchase becomes `refunded` (rulings D14, G5). */
function askRefund(
  state: PurchaseState,
  { issued, reason }: { readonly issued: readonly string[]; readonly reason: string },
): PurchaseEvent[] {
  if (state.status === 'none') throw notFound('no purchase has this id');
  if (state.status !== 'sold') {
    throw new DomainError('purchase_not_sold', 'the purchase is not paid: there is nothing to refund');
  }
  // The caller read the purchase before its charge went through: it could cancel no coupon.
  if (issued.length < state.made.quantity)
    throw new DomainError('coupons_not_known', 'the purchase is just being paid');
  if (state.refund_asked || unitsLeftOf(state) === 0) return [];
  const coupons = couponsLeftOf(state, issued);
  return [{ type: 'purchase-refund-asked.v1', data: { purchase_id: state.made.purchase_id, coupons, reason } }];
}

/**
 * What a coupon cost goes back: its share of the purchase's amount, rounded down, and with the last one all the rest. So all
 * coupons together give back the amount to the cent, in whatever order they are cancelled. Our gateway gives back what it took;
 * what was paid to the partner, they owe (ruling I15).
 */
function cancelCoupon(state: PurchaseState, coupon_id: string): PurchaseEvent[] {
  if (state.status !== 'sold' || state.cancelled.has(coupon_id)) return [];
  const { purchase_id, amount, quantity } = state.made;
  const units_left = unitsLeftOf(state) - 1;
  const refund = units_left === 0 ? amount - state.refunded : Math.floor(amount / quantity);
  const refunded = state.refunded + refund;
  const data = { purchase_id, coupon_id, refund_by: refundByOf(state), refund, refunded, units_left };
  return [{ type: 'purchase-coupon-cancelled.v1', data }];
}

function closed({ purchase_id, user_id, deal }: PurchaseOpened): {
  readonly purchase_id: string;
  readonly user_id: string;
  readonly deal_id: string;
} {
  return { purchase_id, user_id, deal_id: deal.id };
}
