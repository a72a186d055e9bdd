import { localTime, pictureOf, type PictureSize } from '#http';
import { utcTime } from '#kernel';
import { categorySlug } from '../category-slug.js';
import type { DealLocation } from '../deal.attributes.js';
import type { DealParts } from '../deal.present.js';
import { stateAt } from '../deal.state.js';
import { unitsLeft } from '../units-left.js';
import { shown, type Field, type Fields } from './fields.js';

/** The parts of a deal's v3 answer. */
export interface DealPartsV3 extends DealParts {
  /** The id of the address of the deal's location with this index. */
  readonly addressId: (dealId: string, location: number) => string;
}

interface Place {
  readonly location: DealLocation;
  readonly id: () => string;
}

const plain = <Name extends keyof DealParts['row']['attributes']>(name: Name): Field<DealPartsV3> => ({
  show: ({ row }) => row.attributes[name],
});
const image = (size: PictureSize): Field<DealPartsV3> => ({
  show: ({ row, publicUrl }) => pictureOf(row.attributes.image, size, publicUrl)?.url,
});
const ofAddress = (name: keyof DealLocation['address']): Field<Place> => ({
  show: ({ location }) => location.address[name],
});
const slugOf = (name: string | null): string | null => (name === null ? null : categorySlug(name));
const numLeft = ({ units, ranOut }: DealParts): number | null => unitsLeft(units, ranOut);

const IMAGES: Fields<DealPartsV3> = {
  large: image('large'),
  medium: image('medium'),
  small: image('_300'),
  tiny: image('tiny'),
};

const ADDRESS: Fields<Place> = {
  region: ofAddress('region'),
  postal_code: ofAddress('postal_code'),
  street: ofAddress('street'),
  latitude: ofAddress('latitude'),
  locality: ofAddress('locality'),
  longitude: ofAddress('longitude'),
  country: ofAddress('country'),
  address_id: { show: ({ id }) => id() },
};

const LOCATION: Fields<Place> = {
  address: { show: (place, chosen) => shown(ADDRESS, place, chosen), parts: ADDRESS },
  hours: { show: ({ location }) => location.hours },
  phone: { show: ({ location }) => location.phone },
};

/**
 * The fields of a deal in the v3 shape (interface 2.3, ruling B4), in the order of answers: first the fields of the v1
 * shape, in the order of 2.3; then the additions in the table of 2.3; then, by name, the additions of ruling B4.
 */
export const DEAL_FIELDS: Fields<DealPartsV3> = {
  id: { show: ({ row }) => row.deal_id },
  campaign: plain('campaign'),
  category: plain('category'),
  description1: plain('description1'),
  description2: plain('description2'),
  end_at: { show: ({ row }) => utcTime(row.attributes.end_at) },
  expires_at: {
    show: ({ row: { attributes }, region }) =>
      attributes.expires_at === null ? null : localTime(attributes.expires_at, region?.time_zone ?? 'UTC'),
  },
  fine_print: plain('fine_print'),
  fine_print_legalese: {
    show: ({ row: { attributes } }) =>
      attributes.fulfillment_method === 'printed' ? attributes.fine_print_legalese : null,
  },
  fixed_fee: plain('fixed_fee'),
  fulfillment_method: plain('fulfillment_method'),
  highlights: plain('highlights'),
  incentive_amount: plain('incentive_amount'),
  incentive_percentage: plain('incentive_percentage'),
  instructions: plain('instructions'),
  locations: {
    show: ({ row, addressId }, chosen) =>
      row.attributes.locations.map((location, number) =>
        shown(LOCATION, { location, id: () => addressId(row.deal_id, number) }, chosen),
      ),
    parts: LOCATION,
  },
  max_linkage: plain('max_linkage'),
  max_per_user: plain('max_per_user'),
  max_gift_per_user: plain('max_gift_per_user'),
  maximum_allowance: plain('maximum_allowance'),
  merchant_name: plain('merchant_name'),
  min_spend: plain('min_spend'),
  num_left: { show: numLeft },
  num_qualifying: plain('num_qualifying'),
  number_sold: { show: ({ units }) => units?.sold ?? 0 },
  percent_fee: plain('percent_fee'),
  purchase_url: { show: ({ row, publicUrl }) => `${publicUrl}/deals/${row.deal_id}/purchase` },
  region_id: plain('region_id'),
  region_name: { show: ({ region }) => region?.name ?? null },
  robotitle: plain('robotitle'),
  shipping_address_required: plain('shipping_address_required'),
  show_url: { show: ({ row, publicUrl }) => `${publicUrl}/deals/${row.deal_id}` },
  start_at: { show: ({ row }) => utcTime(row.attributes.start_at) },
  state: { show: ({ row, now }) => stateAt(row, now) },
  subcategory: plain('subcategory'),
  supplier_id: plain('supplier_id'),
  tags: plain('tags'),
  title: plain('title'),
  type: plain('type'),
  value: plain('value'),

  category_id: { show: ({ row }) => slugOf(row.attributes.category) },
  subcategory_id: { show: ({ row }) => slugOf(row.attributes.subcategory) },
  cost: plain('cost'),
  expiration_days: plain('expiration_days'),
  images: {
    show: (deal, chosen) => (deal.row.attributes.image === null ? null : shown(IMAGES, deal, chosen)),
    parts: IMAGES,
  },
  merchant_id: plain('merchant_id'),
  sold_out: { show: (deal) => numLeft(deal) === 0 },

  price: plain('current_price'),
  redemption_url: plain('redemption_url'),
  region: plain('region_id'),
  soldout: { show: (deal) => numLeft(deal) === 0 },
  starting_price: plain('current_price'),
};
