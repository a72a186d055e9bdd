import { BadQuery } from '#http';
import type { DealOrder } from '../deal-criteria.js';
import type { ListedField } from '../deal-listing.view.js';

/** The order of a v3 list. */
export interface SortV3 {
  /** Sorts first by the region's name, which the listing does not have. */
  readonly regionName: 'asc' | 'desc' | undefined;
  /** Sorts then by fields of the listing. */
  readonly by: DealOrder;
}

/** The latest end first (interface 4.2). */
const DEFAULT: SortV3 = { regionName: undefined, by: [{ field: 'end_at', descending: true }] };

type Sortable = ListedField | 'key';

/** Fields that have the same name in the listing. */
const SAME = [
  'campaign',
  'category',
  'cost',
  'description1',
  'description2',
  'end_at',
  'expiration_days',
  'expires_at',
  'fine_print',
  'fine_print_legalese',
  'fixed_fee',
  'fulfillment_method',
  'highlights',
  'incentive_amount',
  'incentive_percentage',
  'instructions',
  'max_gift_per_user',
  'max_linkage',
  'max_per_user',
  'maximum_allowance',
  'merchant_id',
  'merchant_name',
  'min_spend',
  'num_left',
  'num_qualifying',
  'number_sold',
  'percent_fee',
  'region_id',
  'robotitle',
  'start_at',
  'subcategory',
  'supplier_id',
  'title',
  'type',
  'value',
] as const;

/**
 * The listing's field for each attribute to sort by: every String, Integer and Date of interface 2.3 that is not a list or
 * an object, and `price` (ruling B4). Null for `state`: all deals of a v3 list have the same state.
 */
const LISTED: ReadonlyMap<string, Sortable | null> = new Map<string, Sortable | null>([
  ...SAME.map((name) => [name, name] as const),
  ['id', 'key'],
  ['show_url', 'key'],
  ['purchase_url', 'purchase_path'],
  ['category_id', 'category_slug'],
  ['subcategory_id', 'subcategory_slug'],
  ['price', 'current_price'],
  ['starting_price', 'current_price'],
  ['state', null],
]);

/** The attributes to sort by, described for people. */
export const SORTS = `one or more of these, each with (asc) or (desc): ${[...LISTED.keys(), 'region_name'].sort().join(', ')}; region_name only as the first`;

const ORDER = /^\s*(\w+)\((asc|desc)\)\s*$/;

/**
 * Reads `sort`: attributes with their directions, such as `price(asc)`, separated by commas. `region_name` can only be the
 * first.
 * @throws BadQuery for anything else (ruling B5)
 */
export function readSort(text: string | undefined): SortV3 {
  if (text === undefined) return DEFAULT;
  let regionName: SortV3['regionName'];
  const by = new Map<Sortable, boolean>();
  for (const part of text.split(',')) {
    const [, name = '', direction] = ORDER.exec(part) ?? [];
    const listed = LISTED.get(name);
    if (name === 'region_name' && by.size === 0) regionName ??= direction === 'desc' ? 'desc' : 'asc';
    else if (listed === undefined) throw new BadQuery('sort= value is not allowed as a sorting option', SORTS);
    // The first mention of a field decides; later ones have no effect.
    else if (listed !== null && !by.has(listed)) by.set(listed, direction === 'desc');
  }
  return { regionName, by: [...by].map(([field, descending]) => ({ field, descending })) };
}
