import { all, type Check, exactLength, exactly, filled, listOf, mentions, notEmpty, object } from './checks.js';
import { coupon, itemWith } from './shapes.js';
import { keyed, open, refused, type Step, step, succeeds, success } from './step.js';

function couponsThat(...checks: readonly Check[]): Check {
  return success({ coupons: all(listOf(coupon()), ...checks) });
}

const inState = (state: string): Check => listOf(object({ state: exactly(state) }, 'open'));

const redeemed = succeeds(success({ coupon: coupon({ state: exactly('redeemed'), redeemed_at: filled }) }));

/** The partner looks at the coupons of Fay and Ada, and redeems some. */
export const coupons: readonly Step[] = [
  step(
    '4.8',
    'lists the coupons of a user',
    (known) => keyed('GET', `/users/${known.text('fay')}/coupons`),
    succeeds(couponsThat(notEmpty)),
    { keep: { "Fay's coupons": 'coupons.length' } },
  ),
  step(
    '4.8',
    'lists the valid ones',
    (known) => keyed('GET', `/users/${known.text('fay')}/coupons`, { query: { filter: 'valid' } }),
    succeeds(couponsThat(inState('valid'), notEmpty)),
    { keep: { 'first coupon': 'coupons.0.id', 'second coupon': 'coupons.1.id' } },
  ),
  step(
    '4.8',
    'redeems a coupon of a user',
    (known) => keyed('PUT', `/users/${known.text('fay')}/coupons/${known.text('first coupon')}/redeem`),
    redeemed,
  ),
  step(
    '4.8',
    'redeems a coupon without naming the user',
    (known) => keyed('PUT', `/coupons/${known.text('second coupon')}/redeem`),
    redeemed,
  ),
  step(
    '4.8',
    'lists the redeemed ones',
    (known) => keyed('GET', `/users/${known.text('fay')}/coupons`, { query: { filter: 'redeemed' } }),
    (known) =>
      succeeds(
        couponsThat(
          inState('redeemed'),
          itemWith({ id: known.text('first coupon') }),
          itemWith({ id: known.text('second coupon') }),
        ),
      ),
  ),
  step(
    '4.8',
    'lists the expired ones',
    (known) => keyed('GET', `/users/${known.text('fay')}/coupons`, { query: { filter: 'expired' } }),
    succeeds(couponsThat(inState('expired'))),
  ),
  step(
    '4.8',
    'lists valid and redeemed ones',
    (known) => keyed('GET', `/users/${known.text('fay')}/coupons`, { query: { filter: 'valid,redeemed' } }),
    succeeds(couponsThat(notEmpty)),
  ),
  step(
    '4.1',
    'counts the coupons',
    (known) => keyed('GET', `/users/${known.text('fay')}/coupons`, { query: { count: 'true' } }),
    (known) => succeeds(mentions(known.integer("Fay's coupons"))),
  ),
  step(
    '4.1',
    'lists one coupon a page',
    (known) => keyed('GET', `/users/${known.text('fay')}/coupons`, { query: { per_page: '1', page: '2' } }),
    succeeds(couponsThat(exactLength(1))),
  ),
  step(
    '3.4',
    'redeems a coupon again; the answer stays open',
    (known) => keyed('PUT', `/coupons/${known.text('first coupon')}/redeem`),
    open,
  ),
  step(
    '4.8',
    'redeems a coupon as that of another user',
    (known) => keyed('PUT', `/users/${known.text('dora')}/coupons/${known.text('second coupon')}/redeem`),
    refused(),
  ),
  step('7.1', 'redeems an unknown coupon', () => keyed('PUT', '/coupons/no-such-coupon/redeem'), refused()),
  step('4.8', 'lists the coupons of an unknown user', () => keyed('GET', '/users/no-such-user/coupons'), refused()),
];
