import { defineView, places, text, unchanged, value, type Field, type Place } from '#kernel';
import type { InventoryEvent, Units } from '#purchasing/model';
import { categorySlug } from './category-slug.js';
import type { DealAttributes } from './deal.attributes.js';
import type { DealEvent } from './deal.events.js';
import type { DealState } from './deal.state.js';
import { unitsLeft } from './units-left.js';

/** Attributes that lists filter or sort by, and that are short. */
const LISTED = [
  'title',
  'type',
  'region_id',
  'start_at',
  'end_at',
  'current_price',
  'value',
  'max_per_user',
  'max_gift_per_user',
  'expires_at',
  'expiration_days',
  'campaign',
  'category',
  'subcategory',
  'fixed_fee',
  'fulfillment_method',
  'incentive_amount',
  'incentive_percentage',
  'max_linkage',
  'maximum_allowance',
  'merchant_name',
  'merchant_id',
  'marketplace_slug',
  'min_spend',
  'num_qualifying',
  'percent_fee',
  'robotitle',
  'supplier_id',
  'cost',
] as const satisfies readonly (keyof DealAttributes)[];

/** Long texts: lists sort them by so many of their first characters. */
const BEGINNING = 256;
const LONG = [
  'description1',
  'description2',
  'fine_print',
  'fine_print_legalese',
  'highlights',
  'instructions',
] as const satisfies readonly (keyof DealAttributes)[];

type Listed = Pick<DealAttributes, (typeof LISTED)[number] | (typeof LONG)[number]>;

/** What lists look at: beside the deal's body, for the units change with every sale. */
export interface ListedDeal {
  readonly deal_id: string;
  readonly deal:
    (Listed & { readonly state: DealState; readonly bg: boolean; readonly places: readonly Place[] }) | null;
  /** As last recorded; null before there was any word of them. */
  readonly units: Units | null;
}

/** Unlimited units are more than any number. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

const told = (row: ListedDeal | undefined, { data }: DealEvent): ListedDeal => {
  const { deal_id, state, attributes } = data;
  const short = Object.fromEntries(LISTED.map((name) => [name, attributes[name]]));
  const long = Object.fromEntries(LONG.map((name) => [name, attributes[name]?.slice(0, BEGINNING) ?? null]));
  const spots = attributes.locations.map(({ address: { latitude, longitude } }) => ({ latitude, longitude }));
  const listed = { ...short, ...long } as Listed;
  // Legal texts are shown for `printed` alone (ruling B3).
  const fine_print_legalese = listed.fulfillment_method === 'printed' ? listed.fine_print_legalese : null;
  return {
    deal_id,
    deal: { ...listed, fine_print_legalese, state, bg: attributes.tags.includes('bg'), places: spots },
    units: row?.units ?? null,
  };
};

const units = (row: ListedDeal | undefined, { data }: { readonly data: Units }, deal_id: string): ListedDeal => {
  const { stock, held, sold, codes_left } = data;
  return { deal_id, deal: row?.deal ?? null, units: { stock, held, sold, codes_left } };
};

const attributes = Object.fromEntries(
  [...LISTED, ...LONG].map((name) => [name, value<ListedDeal>((row) => row.deal?.[name] ?? null)]),
) as Record<keyof Listed, Field<ListedDeal>>;

function slugOf(name: string | null | undefined): string | null {
  return name === null || name === undefined ? null : categorySlug(name);
}

/** Deals by slug, with their units, as lists ask for them. What depends on the clock is asked of `state`, `start_at` and `end_at`. */
export const dealListingView = defineView<ListedDeal, DealEvent | InventoryEvent>({
  name: 'deal-listing',
  version: 2,
  key: (event) => ('deal_id' in event.data ? event.data.deal_id : event.stream.slice('inventory-'.length)),
  on: {
    'deal-created.v1': told,
    'deal-changed.v1': told,
    'deal-moved.v1': told,
    'terms-set.v1': unchanged,
    'stock-set.v2': units,
    'codes-added.v1': units,
    'hold-placed.v1': units,
    'hold-released.v1': units,
    'hold-expired.v1': units,
    'hold-claimed.v1': units,
    'units-sold.v1': units,
    'checkout-started.v1': units,
    'checkout-sold.v1': units,
    'checkout-undone.v1': units,
    'unit-returned.v1': units,
  },
  fields: {
    ...attributes,
    id: value((row) => row.deal_id),
    /** Null for a deal that has stock, but is none yet: it is in no list. */
    state: value((row) => row.deal?.state ?? null),
    bg: value((row) => row.deal?.bg ?? null),
    category_slug: value((row) => slugOf(row.deal?.category)),
    subcategory_slug: value((row) => slugOf(row.deal?.subcategory)),
    /** The order of purchase URLs, which is not that of slugs: `spa-2/` stands before `spa/`. */
    purchase_path: value((row) => `${row.deal_id}/`),
    num_left: value((row) => unitsLeft(row.units) ?? UNLIMITED),
    number_sold: value((row) => row.units?.sold ?? 0),
    title_text: text((row) => row.deal?.title ?? null),
    category_text: text((row) => row.deal?.category ?? null),
    subcategory_text: text((row) => row.deal?.subcategory ?? null),
    merchant_text: text((row) => row.deal?.merchant_name ?? null),
    locations: places((row) => row.deal?.places ?? []),
  },
  indexes: [['region_id', 'end_at'], ['end_at'], ['start_at'], ['current_price']],
});
