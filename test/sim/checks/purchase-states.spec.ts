import { describe, expect, it } from '@jest/globals';
import { madeUpLog, type MadeUp } from './made-up-log.js';
import { checkPurchaseStates } from './purchase-states.js';

interface Coupon {
  readonly coupon_id: string;
  readonly state: string;
  readonly redeemed_at: number | null;
}

const event = (stream: string, type: string, more: object = {}): MadeUp => [
  stream,
  type,
  { purchase_id: 'p', ...more },
];
const of = (type: string, more: object = {}): MadeUp =>
  event('purchase-p', type, { user_id: 'ann', quantity: 1, ...more });
const placed = event('reservation-p', 'reservation-placed.v1', { quantity: 1 });
const expired = event('reservation-p', 'reservation-expired.v1');
const ofCoupon = (type: string): MadeUp => event('coupon-c', type, { coupon_id: 'c' });
const row = (payment_state: string, fulfillment_state: string, user_id: string | null, ...coupons: Coupon[]) => ({
  payment_state,
  fulfillment_state,
  user_id,
  coupons,
});
const coupon = (state: string, redeemed_at: number | null = null): Coupon => ({ coupon_id: 'c', state, redeemed_at });

const check = (events: readonly MadeUp[], shown: object | undefined) => (): void =>
  checkPurchaseStates(madeUpLog(...events), new Map(shown === undefined ? [] : [['p', { row: shown }]]));

const opened = of('purchase-opened.v1');
const charged = of('purchase-charged.v1');
const issued = ofCoupon('coupon-issued.v1');
const redeemed = ofCoupon('coupon-redeemed.v1');

describe('the states of a purchase', () => {
  it.each<[string, readonly MadeUp[], object]>([
    ['a reservation', [placed], row('pending', 'reserved', null)],
    ['one that ran out', [placed, expired], row('pending', 'released', null)],
    ['a late claim', [placed, of('purchase-recorded.v1'), expired], row('charged', 'fulfilled', 'ann')],
    ['an open charge', [opened], row('pending', 'pending', 'ann')],
    ['a sale', [opened, charged, issued], row('charged', 'fulfilled', 'ann', coupon('valid'))],
    ['a decline', [opened, of('purchase-declined.v1')], row('declined', 'cancelled', 'ann')],
    ['a void', [opened, of('purchase-voided.v1', { refunded: true })], row('refunded', 'cancelled', 'ann')],
    ['a resale', [of('purchase-resold.v1')], row('charged', 'fulfilled', null)],
    ['a redeemed coupon', [opened, issued, redeemed], row('pending', 'pending', 'ann', coupon('redeemed', 1_000))],
    [
      'a refund',
      [opened, charged, issued, redeemed, ofCoupon('coupon-cancelled.v1'), of('purchase-coupon-cancelled.v1')],
      row('refunded', 'cancelled', 'ann', coupon('cancelled', 1_000)),
    ],
    [
      'a coupon that was redeemed by mistake',
      [opened, issued, redeemed, ofCoupon('coupon-reissued.v1')],
      row('pending', 'pending', 'ann', coupon('reissued')),
    ],
    [
      'a coupon that is issued again',
      [opened, issued, ofCoupon('coupon-reissued.v1')],
      row('pending', 'pending', 'ann', coupon('reissued')),
    ],
  ])('are right for %s', (_, events, shown) => {
    expect(check(events, shown)).not.toThrow();
  });

  it.each<[string, readonly MadeUp[], object | undefined]>([
    ['a decline that is shown as charged', [opened, of('purchase-declined.v1')], row('charged', 'cancelled', 'ann')],
    ['a sale that is shown as pending', [opened, charged], row('charged', 'pending', 'ann')],
    ['another user', [opened, charged], row('charged', 'fulfilled', 'bob')],
    ['a coupon that is not there', [opened, charged, issued], row('charged', 'fulfilled', 'ann')],
    ['another time', [opened, issued, redeemed], row('pending', 'pending', 'ann', coupon('redeemed', 2_000))],
    ['no row', [opened], undefined],
  ])('are wrong for %s', (_, events, shown) => {
    expect(check(events, shown)).toThrow('a purchase shows what happened to it');
  });
});
