import { and, contains, eq, gt, gte, lte, ne, not, oneOf, or, type Query, type Where } from '#eventsourcing';
import type { Instant } from '#kernel';
import type { ListedField } from './deal-listing.view.js';
import type { DealState } from './deal.state.js';

/** A condition over the fields of the listing. */
export type DealWhere = Where<ListedField>;

/** An order of the listing. */
export type DealOrder = Query<ListedField>['sort'];

/** The conditions of a v1 list of deals (interface 4.3, ruling C3). An absent one does not count. Bounds are inclusive. */
export interface DealCriteria {
  readonly slug?: string | undefined;
  readonly marketplace_slug?: string | undefined;
  /** Parts of names, in any case. */
  readonly title?: string | undefined;
  readonly category?: string | undefined;
  readonly subcategory?: string | undefined;
  readonly merchant?: string | undefined;
  /** Absent for every workflow state. */
  readonly state?: DealState | undefined;
  /** Cents. */
  readonly price_min?: number | undefined;
  readonly price_max?: number | undefined;
  /** Degrees, and miles. */
  readonly around?: { readonly latitude: number; readonly longitude: number; readonly radius: number } | undefined;
  /** Slugs: one of them must fit. */
  readonly suppliers?: readonly string[] | undefined;
  readonly vendors?: readonly string[] | undefined;
  /** The least number of units left. */
  readonly num_left?: number | undefined;
  /** The deal is on sale at some time between the two. */
  readonly runs_min?: Instant | undefined;
  readonly runs_max?: Instant | undefined;
  /** What is left out: all card-linked deals, or those with these ids. */
  readonly without?: 'card-linked' | readonly string[] | undefined;
}

/** Finds the deals of the listing that fit at `now`: the clock decides about states, in filters too (ruling C1). */
export function whereOf(criteria: DealCriteria, now: Instant): DealWhere {
  const c = criteria;
  const conditions: DealWhere[] = [];
  const on = <T>(value: T | undefined, condition: (value: T) => DealWhere): void => {
    if (value !== undefined) conditions.push(condition(value));
  };
  on(c.around, ({ latitude, longitude, radius }) => near(latitude, longitude, radius));
  on(c.slug, (slug) => eq('id', slug));
  on(c.marketplace_slug, (slug) => eq('marketplace_slug', slug));
  on(c.price_min, (cents) => gte('current_price', cents));
  on(c.price_max, (cents) => lte('current_price', cents));
  on(c.suppliers, (slugs) => oneOf('supplier_id', slugs));
  on(c.vendors, (slugs) => oneOf('merchant_id', slugs));
  on(c.num_left, (units) => gte('num_left', units));
  on(c.runs_min, (from) => gt('end_at', from));
  on(c.runs_max, (until) => lte('start_at', until));
  on(c.without, (which) => (which === 'card-linked' ? ne('type', which) : not(oneOf('id', which))));
  on(c.title, (part) => contains('title_text', part));
  on(c.category, (part) => contains('category_text', part));
  on(c.subcategory, (part) => contains('subcategory_text', part));
  on(c.merchant, (part) => contains('merchant_text', part));
  conditions.push(c.state === undefined ? isDeal : inState(c.state, now));
  return and(...conditions);
}

/** Finds deals with a place within this distance. */
export function near(latitude: number, longitude: number, miles: number): DealWhere {
  return { op: 'near', field: 'locations', latitude, longitude, miles };
}

/** A row of stock without a deal is not a deal. */
const isDeal: DealWhere = { op: 'ne', field: 'state', value: null };

/** Finds the deals that are in a state at `now` (ruling C1). */
export function inState(state: DealState, now: Instant): DealWhere {
  const begun = or(eq('state', 'in-flight'), and(eq('state', 'approved'), lte('start_at', now)));
  switch (state) {
    case 'in-flight':
      return and(begun, gt('end_at', now));
    case 'approved':
      return and(eq('state', 'approved'), gt('start_at', now));
    case 'paused':
      return and(eq('state', 'paused'), gt('end_at', now));
    case 'landed':
      return or(eq('state', 'landed'), and(or(begun, eq('state', 'paused')), lte('end_at', now)));
    default:
      return eq('state', state);
  }
}
