import { all, exactLength, exactly, type Fields, filled, has, listOf, mentions, notEmpty } from './checks.js';
import { cannotFufill, invalid, notBought, notFound } from './error.shapes.js';
import { type Known } from './known.js';
import { coupon, purchase } from './shapes.js';
import { anyOf, answers, keyed, type Promised, refused, type Step, step, succeeds, success } from './step.js';

/** 4.6: status and purchase. */
const bought = (own: Fields = {}): Promised => succeeds(success({ purchase: purchase(own) }));

/** A purchase that gave coupons. */
const COUPONS: Fields = { coupons: all(listOf(coupon()), notEmpty) };

const USED_USER = { first_name: 'Fay', last_name: 'Quill' };
const PASSWORD = 'secret-1';

function deal({ world }: Known): string {
  return world.deals.daily.id;
}

/** 4.6.1: a card as the field list gives it: all texts. */
function typedCard(known: Known, kind: 'good' | 'other' | 'declined' = 'good'): Readonly<Record<string, string>> {
  const card = known.world.cards[kind];
  return {
    number: card.number,
    verification_value: card.verificationValue,
    month: String(card.month).padStart(2, '0'),
    year: String(card.year),
    zip_code: card.zipCode,
  };
}

function typedUser(email: string): Readonly<Record<string, string>> {
  return { email, password: PASSWORD, password_confirmation: PASSWORD, ...USED_USER };
}

const ADDRESS = {
  name: 'Fay Quill',
  address_one: '1 Main St',
  address_two: 'Floor 2',
  postal_code: '10001',
  city: 'New York',
  state: 'NY',
  country: 'US',
};

type Body = Readonly<Record<string, unknown>>;

/** 4.6.1: Ada's purchase with what is stored. */
function stored(known: Known): Body {
  return {
    deal_id: deal(known),
    quantity: 1,
    user_id: known.text('ada'),
    credit_card_id: known.text("Ada's card"),
  };
}

function full(
  does: string,
  json: (known: Known) => Body,
  promises: Promised | ((known: Known) => Promised),
  keep: Readonly<Record<string, string>> = {},
): Step {
  return step('4.6.1', does, (known) => keyed('POST', '/v1/purchases/full.json', { json: json(known) }), promises, {
    keep,
  });
}

const fullPurchases: readonly Step[] = [
  full(
    'buys with a new user and a new card',
    (known) => ({
      deal_id: deal(known),
      quantity: 1,
      user: typedUser('fay@partner.example'),
      credit_card: typedCard(known),
    }),
    ({ world: { deals } }) =>
      bought({
        ...COUPONS,
        deal_type: exactly('daily-deal'),
        deal_id: exactly(deals.daily.id),
        price: exactly(deals.daily.price),
        number_bought: exactly(1),
        user_id: filled,
        credit_card_id: filled,
      }),
    {
      'full purchase': 'purchase.id',
      fay: 'purchase.user_id',
      "Fay's card": 'purchase.credit_card_id',
    },
  ),
  full(
    'buys again with the same user and card, which are reused',
    (known) => ({
      deal_id: deal(known),
      quantity: 1,
      user: typedUser('fay@partner.example'),
      credit_card: typedCard(known),
    }),
    (known) =>
      bought({
        ...COUPONS,
        user_id: exactly(known.text('fay')),
        credit_card_id: exactly(known.text("Fay's card")),
      }),
  ),
  full(
    'buys with the names that the field list gives passwords',
    (known) => ({
      deal_id: deal(known),
      quantity: 1,
      user: { email: 'gus@partner.example', pass: PASSWORD, pass_confirmation: PASSWORD },
      credit_card: typedCard(known),
    }),
    bought(COUPONS),
  ),
  full('buys with a stored user and card', stored, (known) =>
    bought({
      ...COUPONS,
      number_bought: exactly(1),
      user_id: exactly(known.text('ada')),
      credit_card_id: exactly(known.text("Ada's card")),
    }),
  ),
  full(
    'buys with a stored user and a new card',
    (known) => ({
      deal_id: deal(known),
      quantity: 2,
      user_id: known.text('ada'),
      credit_card: typedCard(known, 'other'),
    }),
    (known) => bought({ ...COUPONS, number_bought: exactly(2), user_id: exactly(known.text('ada')) }),
  ),
  full(
    'buys a shipped deal with an address',
    (known) => ({ ...stored(known), deal_id: known.world.deals.shipped.id, shipping_address: ADDRESS }),
    (known) => bought({ deal_id: exactly(known.world.deals.shipped.id) }),
  ),
  full(
    'buys a shipped deal with an address without a second line',
    (known) => ({
      ...stored(known),
      deal_id: known.world.deals.shipped.id,
      shipping_address: { ...ADDRESS, address_two: undefined },
    }),
    bought(),
  ),
  full(
    'buys a shipped deal with an address without name, which is then that of the user',
    (known) => ({
      ...stored(known),
      deal_id: known.world.deals.shipped.id,
      shipping_address: { ...ADDRESS, name: undefined },
    }),
    bought(),
  ),
  full(
    'buys a shipped deal with a stored address',
    ({ world: { deals, shopper } }) => ({
      deal_id: deals.shipped.id,
      quantity: 1,
      user_id: shopper.userId,
      credit_card_id: shopper.creditCardId,
      shipping_address_id: shopper.shippingAddressId,
    }),
    ({ world }) => bought({ user_id: exactly(world.shopper.userId) }),
  ),
  full(
    'buys a printed deal',
    (known) => ({ ...stored(known), deal_id: known.world.deals.printed.id }),
    bought(COUPONS),
  ),
];

const missing = ['missing_field', 'missing'];

/** 7.2: one part of the full purchase fails; nothing is bought. */
const failedParts: readonly Step[] = [
  step(
    '4.6',
    'counts the purchases before the failures',
    (known) => keyed('GET', `/users/${known.text('ada')}/purchases`),
    succeeds(success({ purchases: listOf(purchase()) })),
    { keep: { 'purchases before': 'purchases.length' } },
  ),
  full(
    'buys without a user',
    (known) => ({ ...stored(known), user_id: undefined }),
    invalid({ types: missing, resources: ['user'] }),
  ),
  full(
    'buys without a card',
    (known) => ({ ...stored(known), credit_card_id: undefined }),
    invalid({ types: missing, resources: ['credit_card'] }),
  ),
  full(
    'buys a shipped deal without an address',
    (known) => ({ ...stored(known), deal_id: known.world.deals.shipped.id }),
    invalid({ types: missing, resources: ['shipping_address'] }),
  ),
  full(
    'buys with an unknown user',
    (known) => ({ ...stored(known), user_id: 'no-such-user' }),
    invalid({ types: ['not_found', 'invalid'], resources: ['user'] }),
  ),
  full(
    'buys with an unknown card',
    (known) => ({ ...stored(known), credit_card_id: 'no-such-card' }),
    invalid({ types: ['not_found', 'invalid'], resources: ['credit_card'] }),
  ),
  full(
    'buys with the card of another user',
    (known) => ({ ...stored(known), credit_card_id: known.text("Ben's card") }),
    invalid({ types: ['not_owner'], resources: ['credit_card'] }),
  ),
  full(
    'buys with the address of another user',
    (known) => ({
      ...stored(known),
      deal_id: known.world.deals.shipped.id,
      shipping_address_id: known.world.shopper.shippingAddressId,
    }),
    invalid({ types: ['not_owner'], resources: ['shipping_address'] }),
  ),
  full(
    'buys with an unknown address',
    (known) => ({ ...stored(known), deal_id: known.world.deals.shipped.id, shipping_address_id: 'no-such-address' }),
    invalid({ types: ['not_found', 'invalid'], resources: ['shipping_address'] }),
  ),
  ...['number', 'verification_value', 'month', 'year', 'zip_code'].map((field) =>
    full(
      `buys with a new card without ${field}`,
      (known) => ({
        ...stored(known),
        credit_card_id: undefined,
        credit_card: { ...typedCard(known), [field]: undefined },
      }),
      invalid({ types: missing, resources: ['credit_card'], field }),
    ),
  ),
  full(
    'buys with a card of month 13',
    (known) => ({ ...stored(known), credit_card_id: undefined, credit_card: { ...typedCard(known), month: '13' } }),
    invalid({ types: ['invalid'], resources: ['credit_card'], field: 'month' }),
  ),
  ...['address_one', 'postal_code', 'city', 'state', 'country'].map((field) =>
    full(
      `buys a shipped deal with an address without ${field}`,
      (known) => ({
        ...stored(known),
        deal_id: known.world.deals.shipped.id,
        shipping_address: { ...ADDRESS, [field]: undefined },
      }),
      invalid({ types: missing, resources: ['shipping_address'], field }),
    ),
  ),
  full(
    'buys with a state of three characters',
    (known) => ({
      ...stored(known),
      deal_id: known.world.deals.shipped.id,
      shipping_address: { ...ADDRESS, state: 'NYC' },
    }),
    invalid({ types: ['invalid'], resources: ['shipping_address'], field: 'state' }),
  ),
  full(
    'buys with a new user without an email',
    (known) => ({
      ...stored(known),
      user_id: undefined,
      credit_card_id: undefined,
      user: { ...typedUser(''), email: undefined },
      credit_card: typedCard(known),
    }),
    invalid({ types: missing, resources: ['user'], field: 'email' }),
  ),
  full(
    'buys with a new user whose confirmation differs',
    (known) => ({
      deal_id: deal(known),
      quantity: 1,
      user: { ...typedUser('hal@partner.example'), password_confirmation: 'secret-2' },
      credit_card: typedCard(known),
    }),
    invalid({ types: ['invalid'], resources: ['user'] }),
  ),
  full(
    'buys without a quantity',
    (known) => ({ ...stored(known), quantity: undefined }),
    anyOf(notFound, invalid({ types: missing })),
  ),
  full(
    'buys without a deal',
    (known) => ({ ...stored(known), deal_id: undefined }),
    anyOf(notFound, invalid({ resources: ['deal', 'purchase'] })),
  ),
  full(
    'buys an unknown deal',
    (known) => ({ ...stored(known), deal_id: 'no-such-deal' }),
    anyOf(notFound, invalid({ types: ['not_found'], resources: ['deal'] })),
  ),
  full(
    'buys with a card that is declined',
    (known) => ({ ...stored(known), user_id: known.text('cleo'), credit_card_id: known.text('declined card') }),
    answers(422, notBought('declined')),
  ),
  full('buys a sold-out deal', (known) => ({ ...stored(known), deal_id: known.world.deals.soldOut.id }), cannotFufill),
  full(
    'buys more than are left',
    (known) => ({ ...stored(known), deal_id: known.world.deals.single.id, quantity: 2 }),
    anyOf(cannotFufill, invalid()),
  ),
  full(
    'buys more than one user may',
    (known) => ({
      ...stored(known),
      deal_id: known.world.deals.limited.id,
      quantity: known.world.deals.limited.maxPerUser + 1,
    }),
    anyOf(cannotFufill, invalid()),
  ),
  full(
    'buys a deal that is not on sale yet',
    (known) => ({ ...stored(known), deal_id: known.world.deals.approved.id }),
    refused(),
  ),
  full(
    'buys an affiliate deal, which has no purchases',
    (known) => ({ ...stored(known), deal_id: known.world.deals.affiliate.id }),
    refused(),
  ),
  step(
    '4.6.1',
    'lists the purchases after the failures: no purchase occurred',
    (known) => keyed('GET', `/users/${known.text('ada')}/purchases`),
    (known) => succeeds(success({ purchases: exactLength(known.integer('purchases before')) })),
  ),
];

/** 7.1: while one purchase is processed, another is answered with 409. */
const atOnce: readonly Step[] = [
  step(
    '7.1',
    'buys several times at once',
    (known) => keyed('POST', '/v1/purchases/full.json', { json: stored(known) }),
    anyOf(bought(COUPONS), answers(409, notBought('already_charging'))),
    { copies: 4 },
  ),
];

/** B6: this call does not show the coupons. */
const UNSHOWN: Fields = { coupons: exactly(null) };

/** 4.6: with a stored card. */
function storedCard(
  does: string,
  own: (known: Known) => Body,
  promises: Promised | ((known: Known) => Promised),
): Step {
  return step(
    '4.6',
    does,
    (known) =>
      keyed('POST', '/purchases', {
        json: { ...stored(known), expected_price_per_unit: known.world.deals.daily.price, ...own(known) },
      }),
    promises,
    { keep: { 'stored-card purchase': 'purchase.id' } },
  );
}

const storedCardPurchases: readonly Step[] = [
  storedCard(
    'buys with a stored card',
    () => ({}),
    (known) =>
      bought({
        ...UNSHOWN,
        deal_id: exactly(deal(known)),
        price: exactly(known.world.deals.daily.price),
        number_bought: exactly(1),
        user_id: exactly(known.text('ada')),
        credit_card_id: exactly(known.text("Ada's card")),
      }),
  ),
  storedCard(
    'buys three with a stored card, of an affiliate session',
    () => ({ quantity: 3, session_id: 'session-1' }),
    bought({ ...UNSHOWN, number_bought: exactly(3) }),
  ),
  storedCard(
    'expects another price',
    (known) => ({ expected_price_per_unit: known.world.deals.daily.price + 1 }),
    refused(),
  ),
  storedCard(
    'pays with the card of another user',
    (known) => ({ credit_card_id: known.text("Ben's card") }),
    refused(),
  ),
  storedCard('names no user', () => ({ user_id: undefined }), refused()),
  storedCard('names no card', () => ({ credit_card_id: undefined }), refused()),
  storedCard('names an unknown deal', () => ({ deal_id: 'no-such-deal' }), anyOf(notFound, invalid())),
  storedCard(
    'buys a sold-out deal',
    ({ world: { deals } }) => ({ deal_id: deals.soldOut.id, expected_price_per_unit: deals.soldOut.price }),
    cannotFufill,
  ),
];

const reads: readonly Step[] = [
  ...['', '.json'].map((suffix) =>
    step(
      '4.6',
      `reads a purchase${suffix === '' ? '' : ` with ${suffix}`}`,
      (known) => keyed('GET', `/purchases/${known.text('full purchase')}${suffix}`),
      (known) =>
        bought({
          ...COUPONS,
          id: exactly(known.text('full purchase')),
          user_id: exactly(known.text('fay')),
          credit_card_id: exactly(known.text("Fay's card")),
        }),
    ),
  ),
  step('7.1', 'reads an unknown purchase', () => keyed('GET', '/purchases/no-such-purchase'), refused()),
  step(
    '4.6',
    'lists the purchases of a user',
    (known) => keyed('GET', `/users/${known.text('ada')}/purchases`),
    (known) => succeeds(success({ purchases: all(listOf(purchase()), has(known.text('stored-card purchase'))) })),
    { keep: { "Ada's purchases": 'purchases.length' } },
  ),
  step(
    '4.1',
    'counts the purchases of a user',
    (known) => keyed('GET', `/users/${known.text('ada')}/purchases`, { query: { count: 'true' } }),
    (known) => succeeds(mentions(known.integer("Ada's purchases"))),
  ),
  step(
    '4.1',
    'lists one purchase a page',
    (known) => keyed('GET', `/users/${known.text('ada')}/purchases`, { query: { per_page: '1', page: '2' } }),
    succeeds(success({ purchases: all(listOf(purchase()), exactLength(1)) })),
  ),
  step(
    '4.6',
    'lists the purchases of a user who has none',
    (known) => keyed('GET', `/users/${known.text('dora')}/purchases`),
    succeeds(success({ purchases: exactLength(0) })),
  ),
];

/** The partner buys. */
export const purchases: readonly Step[] = [
  ...fullPurchases,
  ...failedParts,
  ...atOnce,
  ...storedCardPurchases,
  ...reads,
];
