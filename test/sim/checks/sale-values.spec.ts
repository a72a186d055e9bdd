import { describe, expect, it } from '@jest/globals';
import { madeUpLog, type MadeUp } from './made-up-log.js';
import { checkSaleValues } from './sale-values.js';

const DAY = 86_400_000;
const deal = { revision: 3 };
const TERMS = { deal, expires_at: null, expiration_days: 2 };
const terms: MadeUp = ['inventory-spa', 'terms-set.v1', { terms: TERMS }];
const COSTS = { deal, price: 10, quantity: 2 };
const IN_TWO_DAYS = 5_000 + 2 * DAY;
const issued = (expires_at: number | null, coupon_id = 'p-1', deal_revision = 3): MadeUp => [
  `coupon-${coupon_id}`,
  'coupon-issued.v1',
  { purchase_id: 'p', coupon_id, expires_at, deal_revision },
];

const held: MadeUp = ['inventory-spa', 'hold-placed.v1', { reservation_id: 'p', ...COSTS }];
const claimed = (more: object = {}): MadeUp => [
  'inventory-spa',
  'hold-claimed.v1',
  { purchase_id: 'p', ...COSTS, created_at: 1_000, coupons_expire_at: IN_TWO_DAYS, ...more },
  { time: 5_000 },
];
const recorded = (more: object = {}): MadeUp => [
  'purchase-p',
  'purchase-recorded.v1',
  { purchase_id: 'p', ...COSTS, amount: 20, created_at: 1_000, ...more },
];

const opened = (more: object = {}): readonly MadeUp[] => [
  terms,
  ['inventory-spa', 'checkout-started.v1', { purchase_id: 'p', ...COSTS, ...TERMS }],
  [
    'purchase-p',
    'purchase-opened.v1',
    { purchase_id: 'p', ...COSTS, ...TERMS, amount: 20, created_at: 1_000, ...more },
  ],
];
const charged = (more: object = {}): MadeUp => [
  'purchase-p',
  'purchase-charged.v1',
  { purchase_id: 'p', deal, amount: 20, coupons_expire_at: IN_TWO_DAYS, ...more },
  { time: 5_000 },
];
const ended = (type: string, more: object): MadeUp => ['purchase-p', type, { purchase_id: 'p', ...more }];
const cancelled = (refund: number, refunded: number, refund_by = 'gateway'): MadeUp =>
  ended('purchase-coupon-cancelled.v1', { coupon_id: 'p-1', refund_by, refund, refunded });
const owed = (refund: number, refunded: number): MadeUp => cancelled(refund, refunded, 'partner');
const reissued = (replacement: object): MadeUp => [
  'coupon-p-1',
  'coupon-reissued.v1',
  { coupon_id: 'p-1', replacement: { coupon_id: 'p-2', deal_id: 'spa', ...replacement } },
  { time: 7_000 },
];
const AGAIN = { deal_revision: 3, expires_at: IN_TWO_DAYS };

const resale = (more: object = {}): readonly MadeUp[] => [
  terms,
  ['inventory-spa', 'resale-started.v1', { resale_id: 'r', ...COSTS, ...TERMS }],
  [
    'purchase-p',
    'purchase-resold.v1',
    { purchase_id: 'p', resale_id: 'r', ...COSTS, amount: 15, coupons_expire_at: IN_TWO_DAYS, ...more },
    { time: 5_000 },
  ],
];

const check =
  (...events: readonly MadeUp[]) =>
  (): void =>
    checkSaleValues(madeUpLog(...events));

describe('the values of sales', () => {
  it.each<[string, readonly MadeUp[]]>([
    ['a claim', [terms, held, claimed(), recorded(), issued(IN_TWO_DAYS), owed(10, 10), owed(10, 20)]],
    ['a charge and its refund', [...opened(), charged(), issued(IN_TWO_DAYS), cancelled(10, 10), cancelled(10, 20)]],
    ['a decline', [...opened(), ended('purchase-declined.v1', { amount: 20 })]],
    ['a void of nothing', [...opened(), ended('purchase-voided.v1', { amount: 0, refunded: false })]],
    ['a resale', [...resale(), issued(IN_TWO_DAYS), owed(7, 7), owed(8, 15)]],
    ['a coupon that is issued again', [...resale(), issued(IN_TWO_DAYS), reissued(AGAIN), issued(IN_TWO_DAYS, 'p-2')]],
    [
      'a coupon that is issued again with the present terms',
      [
        ...resale(),
        issued(IN_TWO_DAYS),
        ['inventory-spa', 'terms-set.v1', { terms: { deal: { revision: 4 }, expires_at: 9, expiration_days: null } }],
        reissued({ deal_revision: 4, expires_at: 9 }),
        issued(9, 'p-2', 4),
      ],
    ],
    ['a redemption', [['coupon-p-1', 'coupon-redeemed.v1', { redeemed_at: 1_000 }]]],
  ])('are right for %s', (_, events) => {
    expect(check(...events)).not.toThrow();
  });

  it.each<[string, readonly MadeUp[]]>([
    ['a claim at another price', [terms, held, claimed({ price: 11 })]],
    ['a claim of the deal of another revision', [terms, held, claimed({ deal: { revision: 4 } })]],
    ['a claim of other units', [terms, held, claimed({ quantity: 1 })]],
    ['a claim with the time of the claim', [terms, held, claimed({ created_at: 5_000 })]],
    ['coupons that expire from the reservation', [terms, held, claimed({ coupons_expire_at: 1_000 + 2 * DAY })]],
    ['a purchase with another amount', [terms, held, claimed(), recorded({ amount: 10 })]],
    ['an order with another expiry', opened({ expiration_days: 3 })],
    ['a charge of another amount', [...opened(), charged({ amount: 10 })]],
    ['a charge whose coupons expire too late', [...opened(), charged({ coupons_expire_at: null })]],
    ['a decline of another amount', [...opened(), ended('purchase-declined.v1', { amount: 10 })]],
    ['a void of another amount', [...opened(), ended('purchase-voided.v1', { amount: 10, refunded: true })]],
    ['a resale with another expiry', resale({ coupons_expire_at: null })],
    ['a coupon that shows another deal', [...opened(), charged(), issued(IN_TWO_DAYS, 'p-1', 4)]],
    ['a new coupon with another expiry', [...resale(), issued(IN_TWO_DAYS), reissued({ ...AGAIN, expires_at: 8 })]],
    ['a new coupon with terms of nobody', [...resale(), issued(IN_TWO_DAYS), reissued({ ...AGAIN, deal_revision: 5 })]],
    ['a coupon with another expiry', [...opened(), charged(), issued(null)]],
    ['money that goes back in another amount', [...opened(), ended('purchase-money-returned.v1', { amount: 5 })]],
    ['a redemption at another time', [['coupon-p-1', 'coupon-redeemed.v1', { redeemed_at: 0 }]]],
    ['a purchase without a sale', [charged()]],
  ])('are wrong for %s', (_, events) => {
    expect(check(...events)).toThrow('a sale is as it was agreed');
  });

  it.each<[string, readonly MadeUp[]]>([
    ['half of its price', [cancelled(5, 5)]],
    ['another sum', [cancelled(10, 10), cancelled(10, 10)]],
    ['what the partner does not owe', [owed(10, 10)]],
    ['more than was charged', [cancelled(10, 10), cancelled(10, 20), cancelled(10, 30)]],
  ])('are wrong for a refund of %s', (_, refunds) => {
    expect(check(...opened(), charged(), ...refunds)).toThrow('a cancelled coupon gives back what was paid for it');
  });
});
