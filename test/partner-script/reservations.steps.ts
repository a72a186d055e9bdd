import { all, either, exactLength, exactly, type Fields, has, listOf, notEmpty } from './checks.js';
import { cannotFufill, invalid, notFound } from './error.shapes.js';
import { type Known } from './known.js';
import { coupon, purchase } from './shapes.js';
import { anyOf, keyed, open, type Pause, type Promised, refused, type Step, step, succeeds, success } from './step.js';

/** 3.2: the row of the table that a purchase is in. */
const RESERVED: Fields = {
  payment_state: exactly('pending'),
  fulfillment_state: exactly('reserved'),
  user_id: exactly(null),
  credit_card_id: exactly(null),
  coupons: either(exactly(null), exactLength(0)),
};
const RELEASED: Fields = { payment_state: exactly('pending'), fulfillment_state: exactly('released') };
const CLAIMED: Fields = {
  payment_state: exactly('charged'),
  fulfillment_state: exactly('fulfilled'),
  credit_card_id: exactly(null),
  coupons: all(listOf(coupon()), notEmpty),
};

const answered = (own: Fields): Promised => succeeds(success({ purchase: purchase(own) }));

function reserve(
  does: string,
  json: (known: Known) => Readonly<Record<string, unknown>>,
  promises: Promised,
  name = 'last reservation',
): Step {
  return step('3.2', does, (known) => keyed('POST', '/purchases/reserve', { json: json(known) }), promises, {
    keep: { [name]: 'purchase.id' },
  });
}

const single = ({ world }: Known): Readonly<Record<string, unknown>> => ({
  deal_id: world.deals.single.id,
  num_bought: 1,
});

const daily =
  (num_bought: number) =>
  ({ world }: Known): Readonly<Record<string, unknown>> => ({ deal_id: world.deals.daily.id, num_bought });

function claim(does: string, reservation: string, user: string, promises: (known: Known) => Promised): Step {
  return step(
    '3.2',
    does,
    (known) => keyed('PUT', `/purchases/${known.text(reservation)}/claim`, { json: { user_id: known.text(user) } }),
    promises,
  );
}

function release(does: string, reservation: string, promises: Promised): Step {
  return step('3.2', does, (known) => keyed('PUT', `/purchases/${known.text(reservation)}/release`), promises);
}

const pause = (why: string, seconds: number): Pause => ({ section: '8', why, seconds: () => seconds });

const claimedBy =
  (user: string) =>
  (known: Known): Promised =>
    answered({ ...CLAIMED, user_id: exactly(known.text(user)) });

/** The partner reserves, claims and releases. A hold lasts five minutes (8). */
export const reservations: readonly (Step | Pause)[] = [
  reserve('reserves two', daily(2), answered({ ...RESERVED, number_bought: exactly(2) }), 'pair'),
  step(
    '3.2',
    'reads the reservation',
    (known) => keyed('GET', `/purchases/${known.text('pair')}`),
    (known) => answered({ ...RESERVED, id: exactly(known.text('pair')), number_bought: exactly(2) }),
  ),
  claim('claims it', 'pair', 'ada', (known) =>
    answered({
      ...CLAIMED,
      id: exactly(known.text('pair')),
      number_bought: exactly(2),
      user_id: exactly(known.text('ada')),
    }),
  ),
  step(
    '4.6',
    'finds the claimed purchase among those of the user',
    (known) => keyed('GET', `/users/${known.text('ada')}/purchases`),
    (known) => succeeds(success({ purchases: has(known.text('pair')) })),
  ),
  claim('claims it again; the answer stays open', 'pair', 'ada', () => open),
  release('releases a claimed purchase; the answer stays open', 'pair', open),
  reserve('reserves the only unit', single, answered(RESERVED), 'only unit'),
  reserve('reserves it again while it is held', single, cannotFufill),
  step(
    '3.2',
    'buys it while it is held',
    (known) =>
      keyed('POST', '/v1/purchases/full.json', {
        json: {
          deal_id: known.world.deals.single.id,
          quantity: 1,
          user_id: known.text('ada'),
          credit_card_id: known.text("Ada's card"),
        },
      }),
    cannotFufill,
  ),
  release('releases it', 'only unit', answered(RELEASED)),
  step(
    '3.2',
    'reads the released reservation',
    (known) => keyed('GET', `/purchases/${known.text('only unit')}`),
    answered(RELEASED),
  ),
  release('releases it again; the answer stays open', 'only unit', open),
  reserve('reserves the unit that has returned', single, answered(RESERVED), 'lapsed'),
  reserve('reserves one of many', daily(1), answered(RESERVED), 'lapsed, of many'),
  pause('four minutes and a half of the hold pass', 270),
  reserve('reserves the unit that is still held', single, cannotFufill),
  pause('the five minutes end', 45),
  reserve('reserves the unit whose hold has ended', single, answered(RESERVED), 'second holder'),
  claim('claims after the hold, when somebody else holds the unit', 'lapsed', 'ben', () => cannotFufill),
  claim('claims what they hold', 'second holder', 'ada', claimedBy('ada')),
  claim(
    'claims after the hold while units are left: a purchase is attempted',
    'lapsed, of many',
    'ada',
    claimedBy('ada'),
  ),
  reserve('reserves for a user whose card is declined', daily(1), answered(RESERVED), 'unpaid'),
  claim('claims it; whether the service or the partner takes the money stays open', 'unpaid', 'cleo', () => open),
  reserve('reserves one whose payment will fail', daily(1), answered(RESERVED), 'failed payment'),
  release('releases it, because the payment failed', 'failed payment', answered(RELEASED)),
  reserve(
    'reserves a sold-out deal',
    ({ world }) => ({ deal_id: world.deals.soldOut.id, num_bought: 1 }),
    cannotFufill,
  ),
  reserve('reserves an unknown deal', () => ({ deal_id: 'no-such-deal', num_bought: 1 }), anyOf(notFound, invalid())),
  reserve('reserves without a deal', () => ({ num_bought: 1 }), refused()),
  reserve('reserves nothing', daily(0), refused()),
  reserve(
    'reserves a deal that is not on sale yet',
    ({ world }) => ({ deal_id: world.deals.approved.id, num_bought: 1 }),
    refused(),
  ),
  reserve('reserves one to claim without a user', daily(1), answered(RESERVED), 'unclaimed'),
  step(
    '4.6',
    'claims without a user',
    (known) => keyed('PUT', `/purchases/${known.text('unclaimed')}/claim`, { json: {} }),
    refused(),
  ),
  step(
    '4.6',
    'claims for an unknown user',
    (known) => keyed('PUT', `/purchases/${known.text('unclaimed')}/claim`, { json: { user_id: 'no-such-user' } }),
    refused(),
  ),
  step(
    '4.6',
    'claims an unknown reservation',
    (known) => keyed('PUT', '/purchases/no-such-purchase/claim', { json: { user_id: known.text('ada') } }),
    refused(),
  ),
  step('4.6', 'releases an unknown reservation', () => keyed('PUT', '/purchases/no-such-purchase/release'), refused()),
];
