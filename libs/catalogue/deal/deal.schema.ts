import { z } from 'zod';
import { boolean, float, instant, integer, oneOfWords, read, slug, text, texts, words as listOf } from '#http';
import { isPlain, MOST_OF_CODE, MOST_OF_IMAGE, MOST_OF_TITLE } from '#purchasing';
import type { DealAttributes, DealLocation } from './deal.attributes.js';
import { DEAL_STATES, type DealState } from './deal.state.js';
import { DEAL_TYPES } from './deal.types.js';

/** So much that the amount of the largest purchase (1000 units) is still exact. */
const MOST_CENTS = 1_000_000_000_000;
const cents = () => integer(0, MOST_CENTS).nullable().optional().describe('Cents.');
const words = () => text().nullable().optional();

const code = () => text(MOST_OF_CODE).refine(isPlain, { error: 'must have no control characters' });

const line = () => z.string({ error: 'must be a text' }).default('');

const OBJECT = { error: 'must be an object' };

const location: z.ZodType<DealLocation> = z.object(
  {
    address: z.object(
      {
        region: text().nullable().default(null),
        postal_code: text().nullable().default(null),
        street: text().nullable().default(null),
        latitude: float(-90, 90),
        locality: text().nullable().default(null),
        longitude: float(-180, 180),
        country: text().nullable().default(null),
      },
      OBJECT,
    ),
    hours: line(),
    phone: line(),
  },
  OBJECT,
);

/** Attributes that the service derives; given ones are passed over (ruling G4). */
const DERIVED: ReadonlySet<string> = new Set([
  'id',
  'slug',
  'deal_id',
  'ended',
  'image_url',
  'image_url_abs',
  'low_down',
  'lowdown',
  'num_left',
  'number_sold',
  'primary_image',
  'purchasable_number',
  'purchase_url',
  'region_name',
  'region_slug',
  'show_url',
  'situation',
  'soldout',
  'starting_price',
  'state',
  'supplier_slug',
]);

/** The body of `PUT /operators/deals/:slug` (ruling G4). An unknown name is refused. */
export const DEAL_BODY = z.strictObject({
  title: text(MOST_OF_TITLE).optional(),
  type: oneOfWords(DEAL_TYPES).optional(),
  region_id: text().optional(),
  start_at: instant().optional(),
  end_at: instant().optional(),
  current_price: cents(),
  value: cents(),
  max_per_user: integer(1).nullable().optional(),
  max_gift_per_user: integer(0).nullable().optional(),
  expires_at: instant().nullable().optional(),
  expiration_days: integer(1, 36_500).nullable().optional(),
  refundable: boolean().optional(),
  image: text(MOST_OF_IMAGE)
    .refine((image) => !/^https?:/i.test(image) || URL.canParse(image), { error: 'must be a path or a URL' })
    .nullable()
    .optional(),
  affinity_score: float(0, 5).nullable().optional(),
  campaign: words(),
  category: words(),
  subcategory: words(),
  category_id: integer().nullable().optional(),
  subcategory_id: integer().nullable().optional(),
  combine_linked_offers: boolean().nullable().optional(),
  custom_data: z.record(z.string(), z.unknown(), OBJECT).optional(),
  description1: words(),
  description2: words(),
  fine_print: words(),
  fine_print_legalese: words(),
  fixed_fee: cents(),
  fulfillment_method: oneOfWords(['redemptioncoded', 'printed', 'shipped']).nullable().optional(),
  highlights: words(),
  incentive_amount: cents(),
  incentive_percentage: integer(0, 100).nullable().optional(),
  instructions: words(),
  locations: z.array(location, { error: 'must be a list of locations' }).optional(),
  max_linkage: integer(0).nullable().optional(),
  maximum_allowance: cents(),
  merchant_name: words(),
  merchant_id: words(),
  marketplace_slug: words(),
  min_spend: cents(),
  num_qualifying: integer(0).nullable().optional(),
  offer_construct: z.string({ error: 'must be a text' }).optional(),
  percent_fee: integer(0, 100).nullable().optional(),
  robotitle: words(),
  shipping_address_required: boolean().optional(),
  supplier_id: words(),
  tags: texts().optional(),
  cost: cents(),
  redemption_url: words(),
  stock: integer(0).nullable().optional().describe('Units in all, sold ones included; null is no bound.'),
  redemption_code_pool: listOf(code()).optional().describe('Codes to add to the pool.'),
});

/** What a body says of the deal itself, of its stock and of its codes. */
export interface DealGiven {
  readonly attributes: Partial<DealAttributes>;
  /** undefined where it was not given. */
  readonly stock: number | null | undefined;
  readonly codes: readonly string[];
}

/**
 * Reads the body of `PUT /operators/deals/:slug`.
 * @throws ValidationFailed naming every attribute that is unknown or of a wrong type
 */
export function readDeal(parameters: Readonly<Record<string, unknown>>): DealGiven {
  const given = Object.fromEntries(Object.entries(parameters).filter(([name]) => !DERIVED.has(name)));
  const { stock, redemption_code_pool, ...attributes } = read(DEAL_BODY, given, 'deal');
  return { attributes, stock, codes: redemption_code_pool ?? [] };
}

const SLUG = z.object({ slug: slug().refine((given) => given !== 'locate', { error: 'is reserved' }) });

/** The slug of a deal (ruling B2). @throws ValidationFailed */
export function readDealSlug(given: unknown): string {
  return read(SLUG, { slug: given }, 'deal').slug;
}

const ARRIVAL = z.object({ state: oneOfWords(DEAL_STATES).optional() });

/** The state that an imported deal arrives in (ruling G4). @throws ValidationFailed */
export function readArrival(parameters: unknown): DealState | undefined {
  return read(ARRIVAL, parameters, 'deal').state;
}
