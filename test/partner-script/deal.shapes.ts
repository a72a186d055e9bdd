import {
  absoluteUrl,
  all,
  anything,
  type Check,
  either,
  type Fields,
  filled,
  float,
  hash,
  integer,
  isObject,
  isoTime,
  isoUtc,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  relativeUrl,
  same,
  text,
  that,
  truth,
} from './checks.js';

/** B3: the sizes of 2.1, in this order. */
const SIZES = [
  ...['xlarge', 'large', 'medium', 'tiny'],
  ...['_103', '_135', '_180', '_198', '_222', '_300', '_306', '_316', '_372', '_400', '_498', '_640', '_660'],
  ...['featured', 'show', 'thumb'],
];

const image = object({ size: text, dimensions: text, url: text });

const primaryImage: Check = object(Object.fromEntries(SIZES.map((size) => [size, image])));

/** 2.4 */
const ADDRESS: Fields = {
  region: text,
  postal_code: text,
  street: text,
  latitude: float,
  locality: text,
  longitude: float,
  country: text,
};
const location = object({ address: object(ADDRESS), hours: text, phone: text });
/** 2.3: the locations of v3 name the address too. */
const locationV3 = object({ address: object({ ...ADDRESS, address_id: filled }), hours: text, phone: text });

/** 2.1: the field is of card-linked deals only. What other deals have in its place is not said. */
const cardLinkedOnly = optional(nullable(integer));

/** B3: null where it does not apply: a deal that is not prepaid has neither price nor units. */
const prepaidOnly = nullable(integer);
const OF_PREPAID = ['current_price', 'max_per_user', 'num_left', 'purchasable_number', 'starting_price', 'value'];

/** The deals of 2.2 that have prices and units have them all. */
const pricesAndUnits: Check = (value, at) =>
  isObject(value) && (value['type'] === 'daily-deal' || value['type'] === 'on-going')
    ? OF_PREPAID.filter((name) => name in value).flatMap((name) => integer(value[name], `${at}.${name}`))
    : [];

const fulfillmentMethod = oneOf('redemptioncoded', 'printed', 'shipped');
/** 3.1 */
export const dealState = oneOf(
  ...['submitted', 'in-review', 'rejected', 'approved', 'in-flight', 'paused', 'cancelled', 'landed', 'deleted'],
);

/** 2.1: the fields of a deal in the v1 shape, in the order of the interface. */
const DEAL_V1: Fields = {
  id: filled,
  slug: text,
  deal_id: text,
  affinity_score: that('a number from 0 to 5', (value) => typeof value === 'number' && value >= 0 && value <= 5),
  campaign: text,
  category: text,
  subcategory: text,
  category_id: integer,
  subcategory_id: integer,
  combine_linked_offers: anything,
  custom_data: hash,
  current_price: prepaidOnly,
  description1: text,
  description2: text,
  end_at: isoUtc,
  ended: truth,
  expires_at: isoTime,
  fine_print: text,
  fine_print_legalese: optional(nullable(text)),
  fixed_fee: cardLinkedOnly,
  fulfillment_method: fulfillmentMethod,
  highlights: text,
  image_url: relativeUrl,
  image_url_abs: absoluteUrl,
  incentive_amount: cardLinkedOnly,
  incentive_percentage: cardLinkedOnly,
  instructions: text,
  locations: listOf(location),
  low_down: optional(text),
  lowdown: optional(text),
  max_linkage: cardLinkedOnly,
  max_per_user: prepaidOnly,
  max_gift_per_user: integer,
  maximum_allowance: cardLinkedOnly,
  merchant_name: text,
  min_spend: cardLinkedOnly,
  num_left: prepaidOnly,
  num_qualifying: cardLinkedOnly,
  number_sold: integer,
  offer_construct: optional(nullable(text)),
  percent_fee: cardLinkedOnly,
  primary_image: primaryImage,
  purchasable_number: prepaidOnly,
  purchase_url: text,
  region_id: text,
  region_name: text,
  region_slug: text,
  robotitle: text,
  shipping_address_required: truth,
  show_url: text,
  situation: text,
  soldout: truth,
  start_at: isoUtc,
  starting_price: prepaidOnly,
  state: dealState,
  supplier_id: text,
  supplier_slug: text,
  tags: listOf(text),
  title: text,
  type: text,
  value: prepaidOnly,
};

/** 2.1: what a card-linked deal has besides. */
export const CARD_LINKED: Fields = {
  fixed_fee: integer,
  incentive_amount: nullable(integer),
  incentive_percentage: nullable(integer),
  max_linkage: integer,
  maximum_allowance: integer,
  min_spend: integer,
  num_qualifying: integer,
  offer_construct: text,
  percent_fee: integer,
};

/** 2.1: the field list calls it low_down, the example lowdown. */
const lowDown = that('low_down or lowdown', (value) => isObject(value) && ('low_down' in value || 'lowdown' in value));

/** A deal in the v1 shape; `own` says more of some fields. */
export function dealV1(own: Fields = {}): Check {
  return all(object({ ...DEAL_V1, ...own }), pricesAndUnits, lowDown, same('id', 'slug'), same('id', 'deal_id'));
}

/** 2.3: the fields of a deal in the v3 shape: those of 2.1 first, then the additions. */
const DEAL_V3: Fields = {
  id: filled,
  campaign: text,
  category: text,
  description1: text,
  description2: text,
  end_at: isoUtc,
  expires_at: isoTime,
  fine_print: text,
  fine_print_legalese: optional(nullable(text)),
  fixed_fee: cardLinkedOnly,
  fulfillment_method: fulfillmentMethod,
  highlights: text,
  incentive_amount: cardLinkedOnly,
  incentive_percentage: cardLinkedOnly,
  instructions: text,
  locations: listOf(locationV3),
  max_linkage: cardLinkedOnly,
  max_per_user: prepaidOnly,
  max_gift_per_user: integer,
  maximum_allowance: cardLinkedOnly,
  merchant_name: text,
  min_spend: cardLinkedOnly,
  num_left: prepaidOnly,
  num_qualifying: cardLinkedOnly,
  number_sold: integer,
  percent_fee: cardLinkedOnly,
  purchase_url: text,
  region_id: text,
  region_name: text,
  robotitle: text,
  shipping_address_required: truth,
  show_url: text,
  start_at: isoUtc,
  state: oneOf('in-flight'),
  subcategory: text,
  supplier_id: text,
  tags: listOf(text),
  title: text,
  type: text,
  value: prepaidOnly,
  category_id: filled,
  subcategory_id: text,
  cost: integer,
  expiration_days: optional(nullable(integer)),
  images: object({ large: absoluteUrl, medium: absoluteUrl, small: absoluteUrl, tiny: absoluteUrl }),
  merchant_id: filled,
  sold_out: truth,
  soldout: optional(truth),
  starting_price: optional(prepaidOnly),
};

/** The names that a partner asks for when they want the whole deal. */
export const ALL_FIELDS_V3 = Object.keys(DEAL_V3)
  .filter((field) => field !== 'soldout' && field !== 'starting_price')
  .join(',');

/** The order of the attributes follows no list of the interface: the caller names them. */
export const dealV3 = all(object(DEAL_V3, 'open'), pricesAndUnits);

/** A deal with just the attributes that the caller named. */
export function namedFields(fields: Fields): Check {
  const names = Object.keys(fields).toSorted().join(', ');
  return all(
    object(fields, 'open'),
    that(
      `an object with ${names} only`,
      (value) => isObject(value) && Object.keys(value).toSorted().join(', ') === names,
    ),
  );
}

/** 4.4: the items appear in both forms. */
export const dealInEitherForm = either(dealV1(), dealV3);

/** 2.3: a page of the v3 list. Whether the last page names a next one is not said. */
export function pageV3(deals: Check, nextPage: 'promised' | 'open' = 'open'): Check {
  return object({ deals, next_page: nextPage === 'promised' ? filled : optional(nullable(text)) });
}
