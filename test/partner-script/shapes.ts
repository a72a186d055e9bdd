import {
  absoluteUrl,
  all,
  type Check,
  exactly,
  type Fields,
  filled,
  integer,
  isoUtc,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  readableTime,
  relativeUrl,
  same,
  text,
  that,
  truth,
} from './checks.js';

/** 2.12 */
const REGION: Fields = { id: filled, active: truth, name: filled };

/** 2.7: whether a user without a partner token has the key, and with which value, is not said. */
const USER: Fields = {
  id: filled,
  firstname: nullable(text),
  lastname: nullable(text),
  /** B8: null until something sets it. */
  image_url: nullable(text),
  points: integer,
  token: optional(nullable(text)),
};

/** 2.8 */
const CREDIT_CARD: Fields = {
  id: filled,
  credit_card_id: filled,
  number: that('a masked number', (value) => typeof value === 'string' && /^[^\d]+\d+$/.test(value)),
  type: filled,
  primary: truth,
  deleted: truth,
};

/** 2.6, in the order of B7: in the bodies, the QR code has the second pair of names; the first pair is documented too. */
const COUPON: Fields = {
  id: filled,
  slug: optional(text),
  deal_id: filled,
  deal_type: oneOf('daily-deal', 'on-going', 'card-linked'),
  barcode: text,
  expires_at: nullable(text),
  created_at: filled,
  qrcode_url: optional(text),
  qrcode_base64: optional(text),
  qr_code_url: text,
  qr_code: text,
  state: oneOf('valid', 'cancelled', 'expired', 'redeemed', 'reissued'),
  redemption_code: nullable(text),
  redeemed_at: nullable(text),
};

/** 2.5 */
const PURCHASE: Fields = {
  id: filled,
  purchase_id: filled,
  deal_type: text,
  deal_id: filled,
  price: integer,
  amount: integer,
  number_bought: integer,
  payment_state: filled,
  fulfillment_state: filled,
  created_at: readableTime,
  user_id: nullable(filled),
  credit_card_id: nullable(filled),
  deal: object({
    id: filled,
    deal_id: filled,
    title: filled,
    type: text,
    image_url: relativeUrl,
    image_url_abs: absoluteUrl,
  }),
  coupons: nullable(listOf(coupon())),
};

/** 2.5: the smaller object of a reseller. */
const RESELLER_PURCHASE: Fields = {
  id: filled,
  transaction_reference: filled,
  amount: integer,
  number_bought: integer,
  fulfillment_state: filled,
  created_at: readableTime,
  deal: object({ id: filled, title: filled, image_url_abs: absoluteUrl }),
  coupons: nullable(listOf(resellerCoupon())),
};

/** 2.9 */
const CARD_LINK: Fields = {
  id: filled,
  deal_id: filled,
  user_id: filled,
  merchant_id: filled,
  state: oneOf('linked', 'unlinked', 'fulfilled'),
};

/** 2.10 */
const SAVED_DEAL: Fields = { id: filled, deal_id: filled, user_id: filled };

/** 2.11: the type of zip in an answer is not said. */
const SUBSCRIPTION: Fields = {
  id: filled,
  user_id: filled,
  status: oneOf('active', 'inactive'),
  confirmed: truth,
  region_id: filled,
  region_name: filled,
  zip: that('text or an integer', (value) => typeof value === 'string' || Number.isSafeInteger(value)),
  created_at: filled,
  source: nullable(text),
};

/** 2.13, in the order of B8 */
const BATCH: Fields = {
  send_at: isoUtc,
  deal_id: filled,
  status: oneOf('pending', 'processed', 'failed', 'cancelled'),
  user_ids: listOf(filled),
  mode: oneOf('suppress', 'augment'),
  id: filled,
};

/** 2.14 */
const ACCESS_TOKEN: Fields = { id: filled, user_id: filled, expires_in: integer, scope: text, access: text };

/** The shapes of part 2. `own` says more of some fields. */
export const region = (own: Fields = {}): Check => object({ ...REGION, ...own });
export const user = (own: Fields = {}): Check => object({ ...USER, ...own });
export const creditCard = (own: Fields = {}): Check =>
  all(object({ ...CREDIT_CARD, ...own }), same('id', 'credit_card_id'));
export const purchase = (own: Fields = {}): Check => all(object({ ...PURCHASE, ...own }), same('id', 'purchase_id'));
export const resellerPurchase = (own: Fields = {}): Check => object({ ...RESELLER_PURCHASE, ...own });
export const cardLink = (own: Fields = {}): Check => object({ ...CARD_LINK, ...own });
export const savedDeal = (own: Fields = {}): Check => object({ ...SAVED_DEAL, ...own });
export const subscription = (own: Fields = {}): Check => object({ ...SUBSCRIPTION, ...own });
export const batch = (own: Fields = {}): Check => object({ ...BATCH, ...own });
export const accessToken = (own: Fields = {}): Check => object({ ...ACCESS_TOKEN, ...own });

export function coupon(own: Fields = {}): Check {
  return all(object({ ...COUPON, print_url: text, ...own }), same('id', 'slug'));
}

/** 2.6: a reseller's answers have no print_url. */
export function resellerCoupon(own: Fields = {}): Check {
  return all(object({ ...COUPON, ...own }), same('id', 'slug'));
}

/** 2.13: the same ids; the interface promises no order of them. */
export function sameIds(expected: readonly string[]): Check {
  const sorted = JSON.stringify(expected.toSorted());
  return that(
    `the ids ${expected.join(', ')}`,
    (value) => Array.isArray(value) && JSON.stringify(value.toSorted()) === sorted,
  );
}

/** 2.13: the same moment, in any spelling of ISO 8601. */
export function moment(expected: string): Check {
  return all(
    isoUtc,
    that(`the moment ${expected}`, (value) => Date.parse(String(value)) === Date.parse(expected)),
  );
}

/** An item of a list with these values. */
export function itemWith(values: Readonly<Record<string, unknown>>): Check {
  const item = object(Object.fromEntries(Object.entries(values).map(([key, value]) => [key, exactly(value)])), 'open');
  return that(
    `a list with an item ${JSON.stringify(values)}`,
    (value) => Array.isArray(value) && value.some((entry) => item(entry, '').length === 0),
  );
}
