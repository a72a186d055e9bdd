import { describe, expect, it } from '@jest/globals';
import type { Act } from '../workload/history.js';
import { FollowersOfAnswers } from './followers.js';
import { act } from './made-up-acts.js';
import { madeUpLog, type MadeUp } from './made-up-log.js';

const check = (events: readonly MadeUp[], one: Act) => (): void => {
  const log = madeUpLog(...events);
  const followers = new FollowersOfAnswers({ of: (stream) => log.filter((event) => event.stream === stream) });
  for (const tried of one.tries) followers.check(one, tried);
};
const done = (body: object): { readonly status: number; readonly body: object } => ({ status: 200, body });
const deal = { id: 'spa' };
const coupons = [{ id: 'p-1' }];
const issued: MadeUp = ['coupon-p-1', 'coupon-issued.v1'];
const answered = done({ purchase: { id: 'p', fulfillment_state: 'fulfilled' } });

describe('an answer comes after all its followers', () => {
  it.each<[string, Act, readonly MadeUp[]]>([
    [
      'a reservation',
      act({ type: 'reserve', deal: 'spa', quantity: 1 }, answered),
      [['reservation-p', 'reservation-placed.v1']],
    ],
    [
      'a claim',
      act({ type: 'claim', purchase: 'p', user: 'ann' }, answered),
      [
        ['inventory-spa', 'hold-claimed.v1', { purchase_id: 'p', coupons }],
        ['reservation-p', 'reservation-claimed.v1'],
        ['purchase-p', 'purchase-recorded.v1', { deal }],
        issued,
      ],
    ],
    [
      'a purchase',
      act({ type: 'buy', deal: 'spa', quantity: 1, user: 'ann' }, answered),
      [
        ['purchase-p', 'purchase-charged.v1', { deal, coupons }],
        ['inventory-spa', 'checkout-sold.v1', { purchase_id: 'p' }],
        issued,
      ],
    ],
    [
      'a decline',
      act(
        { type: 'buy', deal: 'spa', quantity: 1, user: 'ann' },
        { status: 422, body: { error_type: 'declined', purchase_id: 'p' } },
      ),
      [
        ['purchase-p', 'purchase-declined.v1', { deal_id: 'spa' }],
        ['inventory-spa', 'checkout-undone.v1', { purchase_id: 'p' }],
      ],
    ],
    [
      'a resale',
      act({ type: 'resell', deal: 'spa', quantity: 1, amount: 9, reference: 'r', content: 'c' }, done({ id: 'p' })),
      [
        ['purchase-p', 'purchase-resold.v1', { deal, coupons, resale_id: 'r' }],
        ['inventory-spa', 'resale-sold.v1', { resale_id: 'r' }],
        issued,
      ],
    ],
    [
      'a cancelled coupon',
      act({ type: 'cancel-coupon', coupon: 'c' }, done({})),
      [
        ['coupon-c', 'coupon-cancelled.v1', { deal_id: 'spa', unit: 0, purchase_id: 'p' }],
        ['inventory-spa', 'unit-returned.v1', { coupon_id: 'c' }],
        ['purchase-p', 'purchase-coupon-cancelled.v1', { coupon_id: 'c' }],
      ],
    ],
    [
      'a coupon that is issued again',
      act({ type: 'reissue', coupon: 'c' }, done({})),
      [
        ['coupon-c', 'coupon-reissued.v1', { purchase_id: 'p', replacement: { coupon_id: 'p-1' } }],
        ['purchase-p', 'purchase-coupon-replaced.v1', { replacement_id: 'p-1' }],
        issued,
      ],
    ],
  ])('%s', (_, one, events) => {
    expect(check(events, one)).not.toThrow();
    for (const missing of events)
      expect(
        check(
          events.filter((each) => each !== missing),
          one,
        ),
      ).toThrow('an answer comes after all its followers');
  });

  it('unless it is a refusal, or a purchase that is still being charged', () => {
    expect(check([], act({ type: 'claim', purchase: 'p', user: 'ann' }, { status: 422, body: {} }))).not.toThrow();
    const pending = done({ purchase: { id: 'p', fulfillment_state: 'pending' } });
    expect(check([], act({ type: 'buy', deal: 'spa', quantity: 1, user: 'ann' }, pending))).not.toThrow();
  });
});
