import { z } from 'zod';
import {
  boolean,
  float,
  freeObject,
  integer,
  link,
  list,
  localMoment,
  moment,
  oneOfWords,
  perhapsEmpty,
  picture,
  read,
  readTogether,
  slug,
  text,
  words,
} from '#http';
import type { TextName } from '#kernel/bounds';
import type { DealAttributes, DealLocation } from './deal.attributes.js';
import { DEAL_STATES, type DealState } from './deal.state.js';
import { DEAL_TYPES } from './deal.types.js';

const cents = () => integer('cents').nullable().optional().describe('Cents.');
const maybe = (name: TextName) => text(name).nullable().optional();

/**
 * A redemption code (ruling D10). Two codes that look the same are one code: so it has no blanks around it and nothing
 * invisible in it, and equal letters are the same characters. Case counts.
 */
const redemptionCode = () =>
  z.preprocess(
    (input) => (typeof input === 'string' ? input.normalize('NFC') : input),
    text('code').refine((code) => !/\p{Cf}/u.test(code), { error: 'must have no invisible characters' }),
  );

const OBJECT = { error: 'must be an object' };

const location: z.ZodType<DealLocation> = z.object(
  {
    address: z.object(
      {
        region: text('line').nullable().default(null),
        postal_code: text('zip').nullable().default(null),
        street: text('line').nullable().default(null),
        latitude: float('latitude'),
        locality: text('line').nullable().default(null),
        longitude: float('longitude'),
        country: text('line').nullable().default(null),
      },
      OBJECT,
    ),
    hours: perhapsEmpty('note').default(''),
    phone: perhapsEmpty('line').default(''),
  },
  OBJECT,
);

/** Attributes that the service derives; it ignores given ones (ruling G4). */
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
  title: text('title').optional(),
  type: oneOfWords(DEAL_TYPES).optional(),
  region_id: text('id').optional(),
  start_at: moment('00:00:00').optional(),
  end_at: moment('23:59:59').optional(),
  current_price: cents(),
  value: cents(),
  max_per_user: integer('some').nullable().optional(),
  max_gift_per_user: integer('count').nullable().optional(),
  expires_at: localMoment().nullable().optional(),
  expiration_days: integer('days').nullable().optional(),
  refundable: boolean().optional(),
  image: picture().nullable().optional(),
  affinity_score: float('score').nullable().optional(),
  campaign: maybe('line'),
  category: maybe('line'),
  subcategory: maybe('line'),
  category_id: integer('any').nullable().optional(),
  subcategory_id: integer('any').nullable().optional(),
  combine_linked_offers: boolean().nullable().optional(),
  custom_data: freeObject().optional(),
  description1: maybe('prose'),
  description2: maybe('prose'),
  fine_print: maybe('prose'),
  fine_print_legalese: maybe('prose'),
  fixed_fee: cents(),
  fulfillment_method: oneOfWords(['redemptioncoded', 'printed', 'shipped']).nullable().optional(),
  highlights: maybe('prose'),
  incentive_amount: cents(),
  incentive_percentage: integer('percent').nullable().optional(),
  instructions: maybe('prose'),
  locations: list('locations', location, 'must be a list of locations').optional(),
  max_linkage: integer('count').nullable().optional(),
  maximum_allowance: cents(),
  merchant_name: maybe('line'),
  merchant_id: maybe('line'),
  marketplace_slug: maybe('line'),
  min_spend: cents(),
  num_qualifying: integer('some').nullable().optional(),
  offer_construct: perhapsEmpty('prose').optional(),
  percent_fee: integer('percent').nullable().optional(),
  robotitle: maybe('title'),
  shipping_address_required: boolean().optional(),
  supplier_id: maybe('line'),
  tags: words('tags', text('line'))
    .transform((tags) => [...new Set(tags)])
    .optional(),
  cost: cents(),
  redemption_url: link().nullable().optional(),
  stock: integer('count').nullable().optional().describe('All units, sold ones included; null for no limit.'),
  redemption_code_pool: words('codes', redemptionCode()).optional().describe('Codes to add to the pool.'),
} satisfies Readonly<Record<keyof DealAttributes | 'stock' | 'redemption_code_pool', z.ZodType>>);

/** A request's body, split into the deal's attributes, its stock and its codes. */
export interface DealInput {
  readonly attributes: Partial<DealAttributes>;
  /** `expires_at` without an offset: the time of the deal's region (ruling I7). Then `attributes` do not have it. */
  readonly localExpiry: string | undefined;
  /** undefined if the body does not name it. */
  readonly stock: number | null | undefined;
  readonly codes: readonly string[];
}

/**
 * Reads the body of `PUT /operators/deals/:slug`.
 * @throws ValidationFailed with every attribute that is unknown or of a wrong type
 */
export function readDeal(parameters: Readonly<Record<string, unknown>>): DealInput {
  const input = Object.fromEntries(Object.entries(parameters).filter(([name]) => !DERIVED.has(name)));
  const { stock, redemption_code_pool, expires_at, ...others } = read(DEAL_BODY, input, 'deal');
  const localExpiry = typeof expires_at === 'string' ? expires_at : undefined;
  const attributes = typeof expires_at === 'string' || expires_at === undefined ? others : { ...others, expires_at };
  return { attributes, localExpiry, stock, codes: redemption_code_pool ?? [] };
}

/** A deal to create or to change. */
export interface GivenDeal {
  readonly slug: string;
  readonly deal: DealInput;
  /** The state that an imported deal arrives in (ruling G4). */
  readonly arrives: DealState | undefined;
}

/** Reads a deal's slug and its attributes. @throws ValidationFailed with the faults of both */
export function readGivenDeal(slug: unknown, parameters: Readonly<Record<string, unknown>>): GivenDeal {
  const [id, deal] = readTogether(
    () => readDealSlug(slug),
    () => readDeal(parameters),
  );
  return { slug: id, deal, arrives: undefined };
}

/** Reads a deal of an import, with the state that it arrives in. @throws ValidationFailed with all faults */
export function readArrivingDeal(parameters: Readonly<Record<string, unknown>>): GivenDeal {
  const [given, arrives] = readTogether(
    () => readGivenDeal(parameters['slug'], parameters),
    () => readArrival(parameters),
  );
  return { ...given, arrives };
}

const SLUG = z.object({ slug: slug().refine((input) => input !== 'locate', { error: 'is reserved' }) });

/** The slug of a deal (ruling B2). @throws ValidationFailed */
export function readDealSlug(input: unknown): string {
  return read(SLUG, { slug: input }, 'deal').slug;
}

const ARRIVAL = z.object({ state: oneOfWords(DEAL_STATES).optional() });

/** The state of an imported deal (ruling G4). @throws ValidationFailed */
function readArrival(parameters: unknown): DealState | undefined {
  return read(ARRIVAL, parameters, 'deal').state;
}
