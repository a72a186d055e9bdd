import { all, type Check, either, exactly, type Fields, listOf, notEmpty, object, optional } from './checks.js';
import { cannotFulfill, errorBody, invalid, noCouponToCancel, notCancelled, notFound } from './error.shapes.js';
import { type Known } from './known.js';
import { coupon, resellerCoupon, resellerPurchase } from './shapes.js';
import {
  anyOf,
  answers,
  keyed,
  named,
  open,
  type Promised,
  refused,
  type Step,
  step,
  succeeds,
  success,
} from './step.js';

const RESELL = '/api/v3/resellers/purchases';

type Body = Readonly<Record<string, unknown>>;

/** 4.6.2: what each kind of deal requires. */
function prepaid(known: Known, reference: string): Body {
  return {
    deal_id: known.world.deals.daily.id,
    quantity: 2,
    transaction_reference: reference,
    transaction_date: known.now.date.toISOString(),
    transaction_amount: 2 * known.world.deals.daily.price,
    first_name: 'Ida',
    last_name: 'Quill',
  };
}

function shipped(known: Known, reference: string): Body {
  return {
    ...prepaid(known, reference),
    deal_id: known.world.deals.shipped.id,
    quantity: 1,
    transaction_amount: known.world.deals.shipped.price,
    address_type: 'home',
    address1: '1 Main St',
    address2: 'Floor 2',
    postal_code: '10001',
    city: 'New York',
    state: 'NY',
    country: 'US',
    telephone: '2125550100',
  };
}

function cardLinked(known: Known, reference: string): Body {
  const {
    deal_id: _deal,
    quantity: _quantity,
    first_name: _first,
    last_name: _last,
    ...required
  } = prepaid(known, reference);
  return { ...required, deal_id: known.world.deals.cardLinked[0].id, transaction_amount: 2500 };
}

/** 4.6.2: whether the object stands in an envelope is not shown. */
function resold(own: Fields): Promised {
  const bare = resellerPurchase(own);
  return succeeds(either(bare, object({ purchase: bare, status: optional(exactly('success')) }, 'open')));
}

function resell(
  does: string,
  json: (known: Known) => Body,
  promises: Promised | ((known: Known) => Promised),
  keep: Readonly<Record<string, string>> = {},
  path = RESELL,
): Step {
  return step('4.6.2', does, (known) => named('POST', path, { json: json(known) }), promises, { keep });
}

/** Keeps the coupons of a purchase, in whichever envelope it comes. */
function couponsAs(first: string, second?: string): Readonly<Record<string, string>> {
  const at = (index: number): string => `coupons.${index}.id|purchase.coupons.${index}.id`;
  return { [first]: at(0), ...(second === undefined ? {} : { [second]: at(1) }) };
}

const COUPONS: Check = all(listOf(resellerCoupon()), notEmpty);

const purchases: readonly Step[] = [
  resell(
    'resells a daily deal',
    (known) => prepaid(known, 'sale-1'),
    ({ world: { deals } }) =>
      resold({
        transaction_reference: exactly('sale-1'),
        amount: exactly(2 * deals.daily.price),
        number_bought: exactly(2),
        coupons: COUPONS,
      }),
    couponsAs('resold coupon', 'second resold coupon'),
  ),
  resell(
    'resells an on-going deal, with the suffix',
    (known) => ({
      ...prepaid(known, 'sale-2'),
      deal_id: known.world.deals.onGoing.id,
      quantity: 1,
      transaction_amount: known.world.deals.onGoing.price,
    }),
    ({ world: { deals } }) =>
      resold({
        transaction_reference: exactly('sale-2'),
        amount: exactly(deals.onGoing.price),
        number_bought: exactly(1),
        coupons: COUPONS,
      }),
    couponsAs('coupon to redeem'),
    `${RESELL}.json`,
  ),
  resell(
    'resells a shipped deal',
    (known) => shipped(known, 'sale-3'),
    resold({ transaction_reference: exactly('sale-3'), number_bought: exactly(1) }),
  ),
  resell(
    'resells a card-linked deal, whose quantity is 1 by default',
    (known) => cardLinked(known, 'sale-4'),
    resold({ transaction_reference: exactly('sale-4'), amount: exactly(2500), number_bought: exactly(1) }),
  ),
  resell(
    'resells a card-linked deal with fields that it does not require',
    (known) => ({ ...shipped(known, 'sale-5'), deal_id: known.world.deals.cardLinked[0].id, quantity: 1 }),
    resold({ transaction_reference: exactly('sale-5'), number_bought: exactly(1) }),
  ),
  resell(
    'resells a deal that asks for no address, with one',
    (known) => ({ ...shipped(known, 'sale-6'), deal_id: known.world.deals.daily.id }),
    resold({ transaction_reference: exactly('sale-6'), number_bought: exactly(1) }),
  ),
  resell('sends a reference again; the answer stays open', (known) => prepaid(known, 'sale-1'), open),
];

const PREPAID_FIELDS = [
  'quantity',
  'transaction_reference',
  'transaction_date',
  'transaction_amount',
  'first_name',
  'last_name',
];
const ADDRESS_FIELDS = ['address_type', 'address1', 'address2', 'postal_code', 'city', 'state', 'country', 'telephone'];
const CARD_LINKED_FIELDS = ['transaction_reference', 'transaction_date', 'transaction_amount'];

/** 4.6.2: each required field is missing once. */
function without(
  kind: string,
  body: (known: Known, reference: string) => Body,
  fields: readonly string[],
): readonly Step[] {
  return fields.map((field) =>
    resell(
      `resells a ${kind} deal without ${field}`,
      (known) => ({ ...body(known, `without-${kind}-${field}`), [field]: undefined }),
      invalid({ types: ['missing_field', 'missing'], field }),
    ),
  );
}

const failures: readonly Step[] = [
  ...without('daily', prepaid, PREPAID_FIELDS),
  ...without('shipped', shipped, ADDRESS_FIELDS),
  ...without('card-linked', cardLinked, CARD_LINKED_FIELDS),
  resell(
    'resells without a deal',
    (known) => ({ ...prepaid(known, 'without-deal'), deal_id: undefined }),
    anyOf(notFound, invalid()),
  ),
  resell(
    'resells an unknown deal',
    (known) => ({ ...prepaid(known, 'unknown'), deal_id: 'no-such-deal' }),
    invalid({ types: ['not_found'], resources: ['deal'] }),
  ),
  resell(
    'resells a sold-out deal',
    (known) => ({ ...prepaid(known, 'sold-out'), deal_id: known.world.deals.soldOut.id }),
    cannotFulfill,
  ),
  resell(
    'resells an affiliate deal, which has no purchases',
    (known) => ({ ...prepaid(known, 'affiliate'), deal_id: known.world.deals.affiliate.id }),
    refused(),
  ),
  resell(
    'resells a shipped deal with a country of three characters',
    (known) => ({ ...shipped(known, 'country'), country: 'USA' }),
    invalid({ types: ['invalid'], field: 'country' }),
  ),
  resell(
    'resells with a date that is none',
    (known) => ({ ...prepaid(known, 'date'), transaction_date: 'yesterday' }),
    invalid({ types: ['invalid'], field: 'transaction_date' }),
  ),
];

/** 4.7: whether a status stands beside the coupon is not shown. */
function couponAnswer(own: Fields): Promised {
  return succeeds(object({ status: optional(exactly('success')), coupon: resellerCoupon(own) }));
}

function cancel(does: string, id: (known: Known) => string | undefined, promises: Promised): Step {
  return step(
    '7.3',
    does,
    (known) => {
      const coupon = id(known);
      return coupon === undefined ? undefined : named('DELETE', `/api/v3/coupons/${coupon}/cancel`);
    },
    promises,
  );
}

const coupons: readonly Step[] = [
  step(
    '4.7',
    'looks at a resold coupon',
    (known) => named('GET', `/api/v3/coupons/${known.text('resold coupon')}`),
    (known) =>
      couponAnswer({
        id: exactly(known.text('resold coupon')),
        deal_id: exactly(known.world.deals.daily.id),
        deal_type: exactly('daily-deal'),
        state: exactly('valid'),
        redeemed_at: exactly(null),
      }),
  ),
  step(
    '7.3',
    'looks at an unknown coupon',
    () => named('GET', '/api/v3/coupons/no-such-coupon'),
    answers(404, errorBody('find_failed')),
  ),
  cancel('cancels a coupon', (known) => known.text('resold coupon'), succeeds(success())),
  step(
    '3.4',
    'looks at the cancelled coupon, whose state stays open',
    (known) => named('GET', `/api/v3/coupons/${known.text('resold coupon')}`),
    (known) => couponAnswer({ id: exactly(known.text('resold coupon')) }),
  ),
  step(
    '4.7',
    'looks at the other coupon of the purchase, which stays valid',
    (known) => named('GET', `/api/v3/coupons/${known.text('second resold coupon')}`),
    couponAnswer({ state: exactly('valid') }),
  ),
  cancel(
    'cancels it again; which of both answers stays open',
    (known) => known.text('resold coupon'),
    anyOf(succeeds(success()), notCancelled()),
  ),
  cancel('cancels an unknown coupon', () => 'no-such-coupon', noCouponToCancel),
  step(
    '4.8',
    'redeems a resold coupon',
    (known) => keyed('PUT', `/coupons/${known.text('coupon to redeem')}/redeem`),
    succeeds(
      success({
        coupon: either(coupon({ state: exactly('redeemed') }), resellerCoupon({ state: exactly('redeemed') })),
      }),
    ),
  ),
  cancel(
    'cancels a redeemed coupon',
    (known) => known.text('coupon to redeem'),
    notCancelled('non refundable', 'state'),
  ),
  step(
    '4.6.2',
    'resells a deal whose barcodes are non-refundable',
    (known) => {
      const deal = known.world.refunds.nonRefundableDealId;
      return deal === undefined
        ? undefined
        : named('POST', RESELL, { json: { ...prepaid(known, 'sale-7'), deal_id: deal, quantity: 1 } });
    },
    resold({ transaction_reference: exactly('sale-7') }),
    { keep: couponsAs('non-refundable coupon') },
  ),
  cancel(
    'cancels a coupon with a non-refundable barcode',
    (known) =>
      known.world.refunds.nonRefundableDealId === undefined ? undefined : known.text('non-refundable coupon'),
    notCancelled('barcode', 'non refundable'),
  ),
  cancel(
    'cancels a coupon of another refund',
    ({ world }) => world.refunds.inAnotherRefund,
    notCancelled('another refund'),
  ),
  cancel(
    'cancels more coupons than were bought',
    ({ world }) => world.refunds.beyondBought,
    notCancelled('more', 'bought'),
  ),
];

/** The partner resells, with username and password. */
export const resellers: readonly Step[] = [...purchases, ...failures, ...coupons];
