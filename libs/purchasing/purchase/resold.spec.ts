import { describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { follow, given, rowsOf, stateOf } from '../../../test/support/given-when-then.js';
import { resaleOf, START, terms } from '../../../test/support/sale.js';
import { purchaseFollowers } from '../followers.js';
import { inventory } from '../inventory/inventory.decider.js';
import { purchase } from './purchase.decider.js';
import type { PurchaseEvent, PurchaseResold, ResaleAbandoned } from './purchase.events.js';
import { purchasesView } from './purchase.view.js';
import type { ResaleMade } from './resold.rules.js';

const coupons = [
  { id: 'p1-c0', barcode: '000000000000', unit: 0, code: null },
  { id: 'p1-c1', barcode: '000000000001', unit: 1, code: null },
];
const sale = {
  purchase_id: 'p1',
  partner_id: 'acme',
  resale_id: 's1',
  transaction_reference: 'order-1',
  transaction_date: START - 1_000,
  content: 'x',
  buyer: 'sealed',
  deal: terms().deal,
  quantity: 2,
  price: 1_999,
  amount: 3_500,
  coupons,
};
const made: ResaleMade = { ...sale, expires_at: START + DAY, expiration_days: null };
const resold: PurchaseResold = { ...sale, created_at: START, coupons_expire_at: START + DAY };
const recorded: PurchaseEvent = { type: 'purchase-resold.v1', data: resold };
const lost: ResaleAbandoned = { purchase_id: 'p1', resale_id: 's1', deal_id: 'spa-day' };
const abandoned: PurchaseEvent = { type: 'purchase-resale-abandoned.v1', data: lost };
const other = { ...lost, resale_id: 's2' };

describe('D11: the purchase of a reseller', () => {
  it('is recorded once with everything that was sent, and with the amount of the transaction', () => {
    given(purchase).when({ type: 'resell', resale: made }, START).then([recorded]);
    given(purchase, [recorded]).when({ type: 'resell', resale: made }, START).then([]);
    given(purchase, [recorded])
      .when({ type: 'resell', resale: { ...made, resale_id: 's2' } }, START)
      .then([]);
  });

  it('D10: its coupons expire some days after the sale, if the deal says so', () => {
    const inDays = { ...made, expires_at: null, expiration_days: 3 };
    given(purchase)
      .when({ type: 'resell', resale: inDays }, START)
      .then([{ ...recorded, data: { ...resold, coupons_expire_at: START + 3 * DAY } }]);
  });

  it('refuses other content under its reference', () => {
    given(purchase, [recorded])
      .when({ type: 'resell', resale: { ...made, content: 'y' } }, START)
      .then('reference_used');
  });

  it('gives up a resale that is not the purchase, once; it never records it again', () => {
    given(purchase).when({ type: 'abandon-resale', resale: lost }).then([abandoned]);
    given(purchase, [abandoned]).when({ type: 'abandon-resale', resale: lost }).then([]);
    given(purchase, [abandoned]).when({ type: 'resell', resale: made }, START).then([]);
    given(purchase, [recorded]).when({ type: 'abandon-resale', resale: lost }).then([]);
    given(purchase, [recorded])
      .when({ type: 'abandon-resale', resale: other })
      .then([{ ...abandoned, data: other }]);
  });

  it('a new resale is recorded after others were given up', () => {
    const next = { ...made, resale_id: 's2', content: 'y' };
    expect(given(purchase, [abandoned]).when({ type: 'resell', resale: next }, START).outcome).toHaveLength(1);
  });

  it('I15: the gateway has no part in it: the reseller owes what a cancelled coupon cost', () => {
    given(purchase, [recorded])
      .when({ type: 'cancel-coupon', coupon_id: 'p1-c0' })
      .then([
        {
          type: 'purchase-coupon-cancelled.v1',
          data: {
            purchase_id: 'p1',
            coupon_id: 'p1-c0',
            refund_by: 'partner',
            refund: 1_750,
            refunded: 1_750,
            units_left: 1,
          },
        },
      ]);
    given(purchase, [recorded]).when({ type: 'ask-void', reason: 'no' }).then('purchase_not_open');
  });

  it.each([
    [1_000, 3],
    [1_001, 3],
    [1_002, 3],
    [0, 3],
    [2, 3],
    [999, 1],
    [Number.MAX_SAFE_INTEGER, 7],
  ])('I15: %i cents for %i coupons are owed to the cent, in whatever order these are cancelled', (amount, quantity) => {
    const ids = Array.from({ length: quantity }, (_, number) => `p1-c${number}`);
    const sold: PurchaseEvent = { ...recorded, data: { ...resold, amount, quantity } };
    for (const order of [ids, ids.toReversed(), [...ids.slice(1), 'p1-c0']]) {
      const events: PurchaseEvent[] = [sold];
      for (const coupon_id of order) {
        events.push(...purchase.decide({ type: 'cancel-coupon', coupon_id }, stateOf(purchase, events), START));
      }
      const owed = events.flatMap((event) => (event.type === 'purchase-coupon-cancelled.v1' ? event.data : []));
      const share = Math.floor(amount / quantity);
      expect(owed.slice(0, -1).map(({ refund }) => refund)).toEqual(Array<number>(quantity - 1).fill(share));
      expect(owed.reduce((sum, { refund }) => sum + refund, 0)).toBe(amount);
      expect(owed.at(-1)).toMatchObject({ refunded: amount, units_left: 0 });
    }
  });

  it('2.5 B6: shows as charged and fulfilled, without a user and a card', async () => {
    const rows = await rowsOf(purchasesView, [
      { ...abandoned, data: other, stream: 'purchase-p1' },
      { ...recorded, stream: 'purchase-p1' },
    ]);
    expect(rows).toEqual({
      p1: {
        id: 'p1',
        partner_id: 'acme',
        deal: terms().deal,
        price: 1_999,
        amount: 3_500,
        quantity: 2,
        payment_state: 'charged',
        fulfillment_state: 'fulfilled',
        created_at: START,
        deadline: null,
        user_id: null,
        credit_card_id: null,
        last4: null,
        reference: 'order-1',
        coupons: [],
      },
    });
    expect(await rowsOf(purchasesView, [{ ...abandoned, stream: 'purchase-p1' }])).toEqual({});
  });

  describe('its followers', () => {
    const started = inventory.decide(
      resaleOf('s1', 'p1', 2),
      inventory.evolve(inventory.initialState, { type: 'terms-set.v1', data: { terms: terms() } }),
      START,
    );
    const typesOf = (event: PurchaseEvent): Record<string, string[]> => {
      const written = follow(purchaseFollowers, [{ ...event, stream: 'purchase-p1', time: START }], {
        'inventory-spa-day': [{ type: 'terms-set.v1', data: { terms: terms() } }, ...started],
      });
      return Object.fromEntries(
        Object.entries(written).map(([stream, events]) => [stream, events.map(({ type }) => type)]),
      );
    };

    it('D10: sell the units, and issue a coupon for each', () => {
      expect(typesOf(recorded)).toEqual({
        'inventory-spa-day': ['resale-sold.v1'],
        'coupon-p1-c0': ['coupon-issued.v1'],
        'coupon-p1-c1': ['coupon-issued.v1'],
      });
    });

    it('free the units of a resale that came to nothing', () => {
      expect(typesOf(abandoned)).toEqual({ 'inventory-spa-day': ['resale-undone.v1'] });
    });

    it('take no stock for a card-linked deal', () => {
      const linked = { ...recorded, data: { ...resold, resale_id: null, quantity: 1, coupons: coupons.slice(0, 1) } };
      expect(typesOf(linked)).toEqual({ 'coupon-p1-c0': ['coupon-issued.v1'] });
    });
  });
});
