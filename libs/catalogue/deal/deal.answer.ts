import { z } from 'zod';
import { MOMENT, PICTURE_SIZES } from '#http';
import type { DealAttributes } from './deal.attributes.js';
import { DEAL_STATES } from './deal.state.js';
import { DEAL_TYPES } from './deal.types.js';

const text = () => z.string().nullable();
const number = () => z.int().nullable();
const cents = () => z.int().nullable().describe('Cents.');

const ADDRESS = {
  region: text(),
  postal_code: text(),
  street: text(),
  latitude: z.number(),
  locality: text(),
  longitude: z.number(),
  country: text(),
};

/** A place where buyers redeem a deal (interface 2.4). */
export const LOCATION = z
  .strictObject({ address: z.strictObject(ADDRESS), hours: z.string(), phone: z.string() })
  .meta({ id: 'Location', description: 'A place where buyers redeem the deal.' });

const PICTURES = z
  .strictObject(
    Object.fromEntries(
      PICTURE_SIZES.map((size) => [
        size,
        z.strictObject({ size: z.literal(size), dimensions: z.string(), url: z.url() }),
      ]),
    ),
  )
  .meta({ id: 'Pictures', description: 'The sizes of a deal’s picture, by their names.' });

/** The attributes that every answer shows as operators set them. */
const ATTRIBUTES = {
  affinity_score: z.number().nullable().describe('How desirable the deal is, 0 to 5.'),
  campaign: text(),
  category: text(),
  subcategory: text(),
  category_id: number(),
  subcategory_id: number(),
  combine_linked_offers: z.boolean().nullable(),
  custom_data: z.record(z.string(), z.unknown()),
  current_price: cents(),
  description1: text(),
  description2: text(),
  fine_print: text(),
  fine_print_legalese: text(),
  fixed_fee: cents(),
  fulfillment_method: z.enum(['redemptioncoded', 'printed', 'shipped']).nullable(),
  highlights: text(),
  incentive_amount: cents(),
  incentive_percentage: number(),
  instructions: text(),
  locations: z.array(LOCATION),
  max_linkage: number(),
  max_per_user: number(),
  max_gift_per_user: number(),
  maximum_allowance: cents(),
  merchant_name: text(),
  min_spend: cents(),
  num_qualifying: number(),
  offer_construct: z.string(),
  percent_fee: number(),
  region_id: z.string(),
  robotitle: text(),
  shipping_address_required: z.boolean(),
  supplier_id: text(),
  tags: z.array(z.string()),
  title: z.string(),
  type: z.enum(DEAL_TYPES),
  value: cents(),
};

const UTC = 'Such as 2013-10-25T06:59:59Z.';
const DEPRECATED = (instead: string) => ({ description: `Use ${instead}.`, deprecated: true });

/** A deal in the v1 shape; its fields have the order of the interface (interface 2.1, ruling B3). */
export const DEAL = z
  .strictObject({
    id: z.string().describe('Its slug.'),
    slug: z.string().meta(DEPRECATED('id')),
    deal_id: z.string().meta(DEPRECATED('id')),
    affinity_score: ATTRIBUTES.affinity_score,
    campaign: ATTRIBUTES.campaign,
    category: ATTRIBUTES.category,
    subcategory: ATTRIBUTES.subcategory,
    category_id: ATTRIBUTES.category_id,
    subcategory_id: ATTRIBUTES.subcategory_id,
    combine_linked_offers: ATTRIBUTES.combine_linked_offers,
    custom_data: ATTRIBUTES.custom_data,
    current_price: ATTRIBUTES.current_price,
    description1: ATTRIBUTES.description1,
    description2: ATTRIBUTES.description2,
    end_at: z.string().describe(UTC),
    ended: z.boolean(),
    expires_at: text().describe('Such as 2013-12-17T23:59:59-08:00, in the time zone of the region.'),
    fine_print: ATTRIBUTES.fine_print,
    fine_print_legalese: ATTRIBUTES.fine_print_legalese,
    fixed_fee: ATTRIBUTES.fixed_fee,
    fulfillment_method: ATTRIBUTES.fulfillment_method,
    highlights: ATTRIBUTES.highlights,
    image_url: text().meta(DEPRECATED('image_url_abs or primary_image')),
    image_url_abs: z.url().nullable(),
    incentive_amount: ATTRIBUTES.incentive_amount,
    incentive_percentage: ATTRIBUTES.incentive_percentage,
    instructions: ATTRIBUTES.instructions,
    locations: ATTRIBUTES.locations,
    lowdown: text().meta(DEPRECATED('description1')),
    max_linkage: ATTRIBUTES.max_linkage,
    max_per_user: ATTRIBUTES.max_per_user,
    max_gift_per_user: ATTRIBUTES.max_gift_per_user,
    maximum_allowance: ATTRIBUTES.maximum_allowance,
    merchant_name: ATTRIBUTES.merchant_name,
    min_spend: ATTRIBUTES.min_spend,
    num_left: number().describe('Units left; null for unlimited.'),
    num_qualifying: ATTRIBUTES.num_qualifying,
    number_sold: z.int(),
    offer_construct: ATTRIBUTES.offer_construct,
    percent_fee: ATTRIBUTES.percent_fee,
    primary_image: PICTURES.nullable(),
    purchasable_number: number().describe('Units that one user may buy now; null for no limit.'),
    purchase_url: z.url(),
    region_id: ATTRIBUTES.region_id,
    region_name: text(),
    region_slug: z.string().meta(DEPRECATED('region_id')),
    robotitle: ATTRIBUTES.robotitle,
    shipping_address_required: ATTRIBUTES.shipping_address_required,
    show_url: z.url(),
    situation: text().meta(DEPRECATED('description2')),
    soldout: z.boolean(),
    start_at: z.string().describe(UTC),
    starting_price: cents().meta(DEPRECATED('current_price')),
    state: z.enum(DEAL_STATES),
    supplier_id: ATTRIBUTES.supplier_id,
    supplier_slug: text().meta(DEPRECATED('supplier_id')),
    tags: ATTRIBUTES.tags,
    title: ATTRIBUTES.title,
    type: ATTRIBUTES.type,
    value: ATTRIBUTES.value,
  })
  .meta({ id: 'Deal', description: 'A deal in the v1 shape. Attributes that do not apply are null.' });

const SET = {
  ...ATTRIBUTES,
  start_at: MOMENT,
  end_at: MOMENT,
  expires_at: MOMENT.nullable(),
  expiration_days: number(),
  refundable: z.boolean(),
  image: text(),
  merchant_id: text(),
  marketplace_slug: text(),
  cost: cents(),
  redemption_url: z.url().nullable(),
} satisfies Readonly<Record<keyof DealAttributes, z.ZodType>>;

const STOCK = z.int().nullable().describe('All units, sold ones included; null for no limit.');

/** A deal as operators set it (ruling G4). */
export const DEAL_SET = z
  .strictObject({ id: z.string(), state: z.enum(DEAL_STATES), ...SET, stock: STOCK })
  .meta({ id: 'DealSet', description: 'A deal as operators set it, without figures that depend on sales.' });

/** The units of a deal, and what is open, for operators and auditors. */
export const DEAL_UNITS = z
  .strictObject({
    stock: STOCK,
    held: z.int().describe('Units of open holds, checkouts and resales.'),
    sold: z.int().describe('Units that were sold and not returned.'),
    returned: z.int().describe('Units of cancelled coupons that came back into the stock.'),
    left: z.int().nullable().describe('Units that can be held or sold now; null for no limit.'),
    codes_left: z.int().nullable().describe('Redemption codes that no sale has; null if the deal has none of its own.'),
    open_holds: z
      .int()
      .describe('Reservations that are neither claimed nor released; expired ones until that is recorded.'),
    open_checkouts: z.int().describe('Purchases by card whose charge has no outcome yet.'),
    open_resales: z.int().describe('Sales of resellers that are being recorded.'),
    next_deadline: MOMENT.nullable().describe('When the first open hold ends; null if there is none.'),
  })
  .meta({ id: 'DealUnits', description: 'The units of a deal now, from its stream.' });

/** The units of a deal after an operator set their number. */
export const STOCK_SET = z.strictObject({ stock: STOCK, held: z.int(), sold: z.int() });
