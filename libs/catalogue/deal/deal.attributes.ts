import type { Instant } from '#kernel';
import type { DealType } from './deal.types.js';

/** A place where buyers redeem the deal (interface 2.4). */
export interface DealLocation {
  readonly address: {
    readonly region: string | null;
    readonly postal_code: string | null;
    readonly street: string | null;
    readonly latitude: number;
    readonly locality: string | null;
    readonly longitude: number;
    readonly country: string | null;
  };
  readonly hours: string;
  readonly phone: string;
}

/**
 * The attributes of a deal that operators set (interface 2.1, ruling G4): cents, instants and plain values. The service
 * derives all others from these, from sales or from the clock.
 */
export interface DealAttributes {
  readonly title: string;
  readonly type: DealType;
  readonly region_id: string;
  readonly start_at: Instant;
  readonly end_at: Instant;
  readonly current_price: number | null;
  readonly value: number | null;
  readonly max_per_user: number | null;
  readonly max_gift_per_user: number | null;
  readonly expires_at: Instant | null;
  readonly expiration_days: number | null;
  readonly refundable: boolean;
  readonly image: string | null;
  readonly affinity_score: number | null;
  readonly campaign: string | null;
  readonly category: string | null;
  readonly subcategory: string | null;
  readonly category_id: number | null;
  readonly subcategory_id: number | null;
  readonly combine_linked_offers: boolean | null;
  readonly custom_data: Readonly<Record<string, unknown>>;
  readonly description1: string | null;
  readonly description2: string | null;
  readonly fine_print: string | null;
  readonly fine_print_legalese: string | null;
  readonly fixed_fee: number | null;
  readonly fulfillment_method: 'redemptioncoded' | 'printed' | 'shipped' | null;
  readonly highlights: string | null;
  readonly incentive_amount: number | null;
  readonly incentive_percentage: number | null;
  readonly instructions: string | null;
  readonly locations: readonly DealLocation[];
  readonly max_linkage: number | null;
  readonly maximum_allowance: number | null;
  readonly merchant_name: string | null;
  readonly merchant_id: string | null;
  readonly marketplace_slug: string | null;
  readonly min_spend: number | null;
  readonly num_qualifying: number | null;
  readonly offer_construct: string;
  readonly percent_fee: number | null;
  readonly robotitle: string | null;
  readonly shipping_address_required: boolean;
  readonly supplier_id: string | null;
  readonly tags: readonly string[];
  readonly cost: number | null;
  readonly redemption_url: string | null;
}

/** The attributes of a new deal that the request does not name. */
export const DEAL_DEFAULTS: Omit<DealAttributes, 'title' | 'type' | 'region_id' | 'start_at' | 'end_at'> = {
  current_price: null,
  value: null,
  max_per_user: null,
  max_gift_per_user: null,
  expires_at: null,
  expiration_days: null,
  refundable: true,
  image: null,
  affinity_score: null,
  campaign: null,
  category: null,
  subcategory: null,
  category_id: null,
  subcategory_id: null,
  combine_linked_offers: null,
  custom_data: {},
  description1: null,
  description2: null,
  fine_print: null,
  fine_print_legalese: null,
  fixed_fee: null,
  fulfillment_method: null,
  highlights: null,
  incentive_amount: null,
  incentive_percentage: null,
  instructions: null,
  locations: [],
  max_linkage: null,
  maximum_allowance: null,
  merchant_name: null,
  merchant_id: null,
  marketplace_slug: null,
  min_spend: null,
  num_qualifying: null,
  offer_construct: '',
  percent_fee: null,
  robotitle: null,
  shipping_address_required: false,
  supplier_id: null,
  tags: [],
  cost: null,
  redemption_url: null,
};
