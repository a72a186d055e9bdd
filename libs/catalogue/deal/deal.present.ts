import { localTime, pictureOf, picturesOf, type AnswerOf, type Presenters, newestOf } from '#http';
import { utcTime, type Instant } from '#kernel';
import type { Units } from '#purchasing/model';
import type { Region } from '../region/region.events.js';
import type { DEAL } from './deal.answer.js';
import { stateAt } from './deal.state.js';
import type { DealRow } from './deal.row.js';
import { smaller, unitsLeft } from './units-left.js';

/** The parts of a deal's answer. */
export interface DealParts {
  readonly row: DealRow;
  readonly region: Region | undefined;
  /** As the last event left them; null before the first such event. */
  readonly units: Units | null;
  /** Units of holds that ran out but have no event for it yet. */
  readonly ranOut: number;
  readonly now: Instant;
  readonly publicUrl: string;
}

/** A deal in the v1 shape (interface 2.1, ruling B3): all attributes, in the order of the interface. */
function firstDeal(parts: DealParts): AnswerOf<typeof DEAL> {
  const { row, region, now, publicUrl } = parts;
  const { attributes: deal, deal_id: id } = row;
  const numLeft = unitsLeft(parts.units, parts.ranOut);
  const number_sold = parts.units?.sold ?? 0;
  const zone = region?.time_zone ?? 'UTC';
  const picture = pictureOf(deal.image, 'medium', publicUrl);
  return {
    id,
    slug: id,
    deal_id: id,
    affinity_score: deal.affinity_score,
    campaign: deal.campaign,
    category: deal.category,
    subcategory: deal.subcategory,
    category_id: deal.category_id,
    subcategory_id: deal.subcategory_id,
    combine_linked_offers: deal.combine_linked_offers,
    custom_data: deal.custom_data,
    current_price: deal.current_price,
    description1: deal.description1,
    description2: deal.description2,
    end_at: utcTime(deal.end_at),
    ended: now >= deal.end_at,
    expires_at: deal.expires_at === null ? null : localTime(deal.expires_at, zone),
    fine_print: deal.fine_print,
    fine_print_legalese: deal.fulfillment_method === 'printed' ? deal.fine_print_legalese : null,
    fixed_fee: deal.fixed_fee,
    fulfillment_method: deal.fulfillment_method,
    highlights: deal.highlights,
    image_url: picture?.path ?? null,
    image_url_abs: picture?.url ?? null,
    incentive_amount: deal.incentive_amount,
    incentive_percentage: deal.incentive_percentage,
    instructions: deal.instructions,
    locations: deal.locations,
    lowdown: deal.description1,
    max_linkage: deal.max_linkage,
    max_per_user: deal.max_per_user,
    max_gift_per_user: deal.max_gift_per_user,
    maximum_allowance: deal.maximum_allowance,
    merchant_name: deal.merchant_name,
    min_spend: deal.min_spend,
    num_left: numLeft,
    num_qualifying: deal.num_qualifying,
    number_sold,
    offer_construct: deal.offer_construct,
    percent_fee: deal.percent_fee,
    primary_image: picturesOf(deal.image, publicUrl),
    purchasable_number: smaller(deal.max_per_user, numLeft),
    purchase_url: `${publicUrl}/deals/${id}/purchase`,
    region_id: deal.region_id,
    region_name: region?.name ?? null,
    region_slug: deal.region_id,
    robotitle: deal.robotitle,
    shipping_address_required: deal.shipping_address_required,
    show_url: `${publicUrl}/deals/${id}`,
    situation: deal.description2,
    soldout: numLeft === 0,
    start_at: utcTime(deal.start_at),
    starting_price: deal.current_price,
    state: stateAt(row, now),
    supplier_id: deal.supplier_id,
    supplier_slug: deal.supplier_id,
    tags: deal.tags,
    title: deal.title,
    type: deal.type,
    value: deal.value,
  };
}

/** By the version of the answers (ruling H6). */
export const dealPresenters: Presenters<typeof firstDeal> = { 1: firstDeal };

/** A deal in the v1 shape (interface 2.1, ruling B3). */
export const presentDeal = newestOf(dealPresenters);
