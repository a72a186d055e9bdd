import { describe, expect, it } from '@jest/globals';
import type { EventBody, Recorded } from '#kernel';
import { START, summaryOf } from '../../../test/support/sale.js';
import { coupon } from '../coupon/coupon.decider.js';
import { purchase, type PurchaseCommand } from '../purchase/purchase.decider.js';
import { couponRules } from './coupon.rules.js';
import { moneyRules } from './money.rules.js';

const SOLD = { id: 'c0', barcode: '0', unit: 0, code: null };
const BY = { last4: '4242', gateway: 'sandbox', reference: 'r' };
const OPENED = {
  ...{
    purchase_id: 'p',
    partner_id: 'acme',
    user_id: 'ann',
    deal: summaryOf('spa'),
    quantity: 1,
    price: 500,
    amount: 500,
  },
  ...{ created_at: START, credit_card_id: 'card', shipping_address_id: null, session_id: null, coupons: [SOLD] },
  ...{ expires_at: null, expiration_days: 30, takeover_at: START },
};
const COMMANDS: readonly PurchaseCommand[] = [
  { type: 'open', purchase: OPENED },
  { type: 'charge-lost', by: BY },
  { type: 'charged', by: BY, lost_since: 0 },
  { type: 'cancel-coupon', coupon_id: 'c0' },
  { type: 'money-returned', coupon_id: 'c0', by: BY },
];

function boughtEvents(): readonly EventBody[] {
  let state = purchase.initialState;
  return COMMANDS.flatMap((command) => {
    const events = purchase.decide(command, state, START);
    for (const event of events) state = purchase.evolve(state, event);
    return events;
  });
}

function wrongIn(
  { initialState, evolve }: { readonly initialState: unknown; evolve(state: never, event: never): unknown },
  rules: typeof moneyRules,
  events: readonly EventBody[],
): readonly string[] {
  const checker = rules.begin();
  let state = initialState;
  return events.flatMap((body, revision) => {
    const event = { ...body, revision, metadata: { time: START } } as Recorded;
    const wrong = checker.check(state, event).map((words) => `${revision}: ${words}`);
    state = evolve(state as never, event as never);
    return wrong;
  });
}

const changed = (at: number, change: object): readonly EventBody[] =>
  boughtEvents().map((event, each) => (each === at ? { ...event, data: { ...event.data, ...change } } : event));

describe('D7: the money of a purchase', () => {
  it('finds nothing wrong with what the decider has decided', () => {
    expect(wrongIn(purchase, moneyRules, boughtEvents())).toEqual([]);
    expect(boughtEvents()).toHaveLength(5);
  });

  it.each<[string, readonly EventBody[], string]>([
    ['another amount than price × quantity', changed(0, { amount: 400 }), '0: its amount is 400, and 1 × 500 is 500'],
    ['a coupon too many', changed(0, { coupons: [SOLD, SOLD] }), '0: it has 2 coupons for 1 units'],
    ['another charge', changed(2, { amount: 1 }), '2: it charges 1, and the purchase costs 500'],
    ['other coupons', changed(2, { coupons: [] }), '2: its coupons, deal or user are not those of the purchase'],
    ['other money back', changed(4, { amount: 1 }), '4: it gives back 1, and 500 is due'],
    ['a charge without a purchase', boughtEvents().slice(2, 3), '0: it charges a purchase that has no open charge'],
    ['a purchase twice', [...boughtEvents(), ...boughtEvents().slice(0, 1)], '5: the purchase exists already'],
  ])('finds %s', (_, events, expected) => {
    expect(wrongIn(purchase, moneyRules, events)).toContain(expected);
  });

  it('D10: finds a coupon that is redeemed twice', () => {
    const issued = { type: 'coupon-issued.v1', data: { coupon_id: 'c0' } };
    const redeemed = { type: 'coupon-redeemed.v1', data: { coupon_id: 'c0', redeemed_at: START } };
    expect(wrongIn(coupon, couponRules, [issued, redeemed])).toEqual([]);
    expect(wrongIn(coupon, couponRules, [issued, redeemed, redeemed])).toEqual(['2: the coupon is redeemed before it']);
    expect(wrongIn(coupon, couponRules, [redeemed])).toEqual(['0: the coupon was never issued']);
  });
});
