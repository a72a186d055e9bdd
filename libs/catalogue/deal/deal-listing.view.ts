import { beginning, defineView, idOf, places, text, unchanged, value, type Field, type Place } from '#kernel';
import type { InventoryEvent, Units } from '#purchasing/model';
import { categorySlug } from './category-slug.js';
import type { DealAttributes } from './deal.attributes.js';
import type { DealEvent } from './deal.events.js';
import type { DealState } from './deal.state.js';
import { unitsLeft, unitsOver } from './units-left.js';

/** Short attributes that lists filter or sort by. */
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

/** Lists sort long texts by this number of first characters. */
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

/** The row for lists. The deal's whole body has its own view, because the units here change with every sale. */
export interface ListedDeal {
  readonly deal_id: string;
  readonly deal:
    | (Listed & { readonly state: DealState; readonly bg: boolean; readonly places: readonly Place[] })
    | null;
  /** As the last event left them; null before the first such event. */
  readonly units: Units | null;
}

/** Stands for unlimited units: greater than any number of units. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

const listedDeal = (row: ListedDeal | undefined, { data }: DealEvent): ListedDeal => {
  const { deal_id, state, attributes } = data;
  const short = Object.fromEntries(LISTED.map((name) => [name, attributes[name]]));
  const long = Object.fromEntries(LONG.map((name) => [name, startOf(attributes[name])]));
  const spots = attributes.locations.map(({ address: { latitude, longitude } }) => ({ latitude, longitude }));
  const listed = { ...short, ...long } as Listed;
  // Only `printed` deals show legal texts (ruling B3).
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

function startOf(text: string | null): string | null {
  return text === null ? null : beginning(text, BEGINNING);
}

function slugOf(name: string | null | undefined): string | null {
  return name === null || name === undefined ? null : categorySlug(name);
}

const FIELDS = {
  ...attributes,
  id: value<ListedDeal>((row) => row.deal_id),
  /** Null for stock whose deal does not exist yet: no list shows it. */
  state: value<ListedDeal>((row) => row.deal?.state ?? null),
  bg: value<ListedDeal>((row) => row.deal?.bg ?? null),
  category_slug: value<ListedDeal>((row) => slugOf(row.deal?.category)),
  subcategory_slug: value<ListedDeal>((row) => slugOf(row.deal?.subcategory)),
  /** Sorts like purchase URLs, not like slugs: `spa-2/` comes before `spa/`. */
  purchase_path: value<ListedDeal>((row) => `${row.deal_id}/`),
  num_left: value<ListedDeal>((row) => unitsLeft(row.units) ?? UNLIMITED),
  /** Null for a deal whose units are within its stock: so an index finds the others at once. */
  oversold: value<ListedDeal>((row) => unitsOver(row.units) || null),
  number_sold: value<ListedDeal>((row) => row.units?.sold ?? 0),
  title_text: text<ListedDeal>((row) => row.deal?.title ?? null),
  category_text: text<ListedDeal>((row) => row.deal?.category ?? null),
  subcategory_text: text<ListedDeal>((row) => row.deal?.subcategory ?? null),
  merchant_text: text<ListedDeal>((row) => row.deal?.merchant_name ?? null),
  locations: places<ListedDeal>((row) => row.deal?.places ?? []),
} satisfies Readonly<Record<string, Field<ListedDeal>>>;

/** The fields of the listing, which conditions and orders may name. */
export type ListedField = keyof typeof FIELDS;

/** Deals by slug, with their units, for lists. Queries compare `state`, `start_at` and `end_at` with the clock. */
export const dealListingView = defineView<ListedDeal, DealEvent | InventoryEvent, ListedField>({
  name: 'deal-listing',
  version: 8,
  key: (event) => ('deal_id' in event.data ? event.data.deal_id : idOf(event.stream)),
  on: {
    'deal-created.v1': listedDeal,
    'deal-changed.v1': listedDeal,
    'deal-moved.v1': listedDeal,
    'terms-set.v1': unchanged,
    'stock-set.v1': units,
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
    'resale-started.v1': units,
    'resale-sold.v1': units,
    'resale-undone.v1': units,
  },
  fields: FIELDS,
  indexes: [['oversold']],
  orders: [
    {
      by: ['region_id', { descending: 'end_at' }],
      covers: ['state', 'start_at', 'current_price', 'type', 'category_text'],
    },
    { by: [{ descending: 'end_at' }], covers: ['state', 'start_at', 'current_price', 'region_id'] },
    // Many deals begin, or end, at the same time. So each direction has its own order: ties are always sorted by key.
    { by: ['region_id', 'end_at'], covers: ['state', 'start_at'] },
    { by: ['region_id', 'start_at'], covers: ['state', 'end_at', 'bg'] },
    { by: ['region_id', { descending: 'start_at' }], covers: ['state', 'end_at'] },
    { by: ['start_at'], covers: ['state', 'end_at'] },
    { by: ['current_price'], covers: ['state', 'start_at', 'end_at', 'region_id'] },
    { by: ['region_id', { descending: 'number_sold' }], covers: ['state', 'start_at', 'end_at'] },
    { by: ['region_id', 'category_slug', { descending: 'end_at' }], covers: ['state', 'start_at'] },
    { by: ['merchant_id', { descending: 'end_at' }], covers: ['state', 'start_at', 'current_price'] },
    { by: ['supplier_id', { descending: 'end_at' }], covers: ['state', 'start_at', 'current_price'] },
  ],
  nearOrders: [
    { near: 'locations', by: { descending: 'end_at' } },
    { near: 'locations', by: 'start_at' },
  ],
});
