import { z } from 'zod';
import { listed, NEXT_PAGE } from '#http';
import { DEAL, LOCATION } from '../deal.answer.js';

const V1 = DEAL.shape;
const url = () => z.url().nullable();

const LOCATION_V3 = z
  .strictObject({
    ...LOCATION.shape,
    address: z.strictObject({ ...LOCATION.shape.address.shape, address_id: z.string() }).partial(),
  })
  .partial()
  .meta({ id: 'LocationV3', description: 'A place where buyers redeem the deal; only the requested fields.' });

/** A deal in the v3 shape (interface 2.3, ruling B4); an answer has only the requested fields. */
export const DEAL_V3 = z
  .strictObject({
    id: V1.id,
    campaign: V1.campaign,
    category: V1.category,
    description1: V1.description1,
    description2: V1.description2,
    end_at: V1.end_at,
    expires_at: V1.expires_at,
    fine_print: V1.fine_print,
    fine_print_legalese: V1.fine_print_legalese,
    fixed_fee: V1.fixed_fee,
    fulfillment_method: V1.fulfillment_method,
    highlights: V1.highlights,
    incentive_amount: V1.incentive_amount,
    incentive_percentage: V1.incentive_percentage,
    instructions: V1.instructions,
    locations: z.array(LOCATION_V3),
    max_linkage: V1.max_linkage,
    max_per_user: V1.max_per_user,
    max_gift_per_user: V1.max_gift_per_user,
    maximum_allowance: V1.maximum_allowance,
    merchant_name: V1.merchant_name,
    min_spend: V1.min_spend,
    num_left: V1.num_left,
    num_qualifying: V1.num_qualifying,
    number_sold: V1.number_sold,
    percent_fee: V1.percent_fee,
    purchase_url: V1.purchase_url,
    region_id: V1.region_id,
    region_name: V1.region_name,
    robotitle: V1.robotitle,
    shipping_address_required: V1.shipping_address_required,
    show_url: V1.show_url,
    start_at: V1.start_at,
    state: V1.state,
    subcategory: V1.subcategory,
    supplier_id: V1.supplier_id,
    tags: V1.tags,
    title: V1.title,
    type: V1.type,
    value: V1.value,
    category_id: z.string().nullable(),
    subcategory_id: z.string().nullable(),
    cost: z.int().nullable().describe('Cents.'),
    expiration_days: z.int().nullable().describe('The number of days after which a voucher expires.'),
    images: z.strictObject({ large: url(), medium: url(), small: url(), tiny: url() }).partial().nullable(),
    merchant_id: z.string().nullable(),
    sold_out: z.boolean(),
    price: V1.current_price,
    redemption_url: url(),
    region: V1.region_id,
    soldout: V1.soldout,
    starting_price: V1.starting_price,
  })
  .partial()
  .meta({ id: 'DealV3', description: 'A deal in the v3 shape; only the requested fields.' });

/** The answer of a v3 list has no `status` (interface 2.3). */
export const DEALS_V3 = z.strictObject({ ...listed('deals', DEAL_V3), ...NEXT_PAGE });
