import { describe, expect, it } from '@jest/globals';
import { follow, given, stateOf } from '../../../test/support/given-when-then.js';
import { couponFollowers } from '../followers.js';
import { coupon } from './coupon.decider.js';
import type { CouponEvent, CouponIssued } from './coupon.events.js';
import { NotGivenBack } from './give-back.rules.js';
import type { PurchaseEvent, PurchaseResold } from '../purchase/purchase.events.js';

const T = 1_800_000_000_000;
const issued: CouponIssued = {
  coupon_id: 'c1',
  purchase_id: 'p1',
  partner_id: 'acme',
  user_id: null,
  deal_id: 'spa-day',
  deal_type: 'daily-deal',
  deal_revision: 0,
  number: 0,
  barcode: '000000000001',
  unit: 7,
  redemption_code: null,
  created_at: T,
  expires_at: T + 1_000,
};
const resold: PurchaseResold = {
  purchase_id: 'p1',
  partner_id: 'acme',
  resale_id: null,
  transaction_reference: 'order-1',
  transaction_date: T,
  content: 'x',
  buyer: null,
  deal: { id: 'spa-day', revision: 0, title: 'A day at the spa', type: 'card-linked', image: null },
  quantity: 1,
  price: 0,
  amount: 2_500,
  created_at: T,
  coupons: [{ id: 'c1', barcode: '000000000001', unit: null, code: null }],
  coupons_expire_at: null,
};
const issue: CouponEvent = { type: 'coupon-issued.v1', data: issued };
const cancelledOf = (unit: number | null): CouponEvent => ({
  type: 'coupon-cancelled.v1',
  data: {
    coupon_id: 'c1',
    purchase_id: 'p1',
    user_id: null,
    deal_id: 'spa-day',
    unit,
    reason: 'the reseller cancelled it',
  },
});
const redeemed: CouponEvent = {
  type: 'coupon-redeemed.v1',
  data: { coupon_id: 'c1', purchase_id: 'p1', redeemed_at: T },
};
const reissued: CouponEvent = {
  type: 'coupon-reissued.v1',
  data: {
    coupon_id: 'c1',
    purchase_id: 'p1',
    reason: 'lost',
    redeemed_by_mistake: false,
    replacement: { ...issued, coupon_id: 'c2' },
  },
};

const NOT_REFUNDABLE = 'barcode 000000000001 is non refundable';
const STATE = 'in a non refundable state';
const OTHER = 'coupons cannot already be part of another refund';
const MORE = 'you can not refund more coupons than were bought';

describe('D12 7.3: a reseller’s cancellation', () => {
  const give = { type: 'give-back', refundable: true, units_left: 1 } as const;

  it('cancels a valid coupon of a refundable deal', () => {
    given(coupon, [issue])
      .when(give, T)
      .then([cancelledOf(7)]);
  });

  it('D11: of a card-linked deal returns no unit to the stock', () => {
    const linked: CouponEvent = { ...issue, data: { ...issued, deal_type: 'card-linked', unit: null } };
    given(coupon, [linked])
      .when(give, T)
      .then([cancelledOf(null)]);
    const sold: PurchaseEvent = { type: 'purchase-resold.v1', data: resold };
    const written = follow(couponFollowers, [{ ...cancelledOf(null), stream: 'coupon-c1' }], {
      'purchase-p1': [sold],
    });
    expect(Object.keys(written)).toEqual(['purchase-p1']);
  });

  it.each<readonly [string, readonly CouponEvent[], boolean, number, number, readonly string[]]>([
    ['a deal that is not refundable', [issue], false, 1, T, [NOT_REFUNDABLE]],
    ['a redeemed coupon', [issue, redeemed], true, 1, T, [STATE]],
    ['an expired coupon', [issue], true, 1, T + 1_000, [STATE]],
    ['a reissued coupon', [issue, reissued], true, 1, T, [STATE]],
    ['a cancelled coupon', [issue, cancelledOf(7)], true, 1, T, [STATE, OTHER]],
    ['the last of all cancelled coupons', [issue, cancelledOf(7)], true, 0, T, [STATE, OTHER, MORE]],
    ['all of it', [issue, cancelledOf(7)], false, 0, T, [NOT_REFUNDABLE, STATE, OTHER, MORE]],
    ['a redeemed coupon of a deal that is not refundable', [issue, redeemed], false, 1, T, [NOT_REFUNDABLE, STATE]],
  ])('gives every reason, in order: %s', (_, events, refundable, units_left, now, reasons) => {
    const state = stateOf(coupon, events);
    let refusal: unknown;
    try {
      coupon.decide({ type: 'give-back', refundable, units_left }, state, now);
    } catch (error) {
      refusal = error;
    }
    if (!(refusal instanceof NotGivenBack)) throw new Error('it was not refused');
    expect(refusal.reasons).toEqual(reasons);
  });
});
