import { FILTER_GRAMMAR } from './filter.grammar.js';
import { parserOf } from './generated-parser.js';

/** The filters, described for people. */
export const FILTERS =
  'category[a,b] and subcategory[a,b], by slug or name; price>=500, also <, <=, = and >, and price[100,200] for either, in cents; region[a,b], by slug; region_city[city,ST], or several as region_city[[city,ST],[city,ST]]; lat_long[latitude,longitude,miles]; sold_out[false]';

/** A city in a filter. */
export interface FilterCity {
  readonly city: string;
  /** Two letters, upper case. */
  readonly state: string;
  /** The offset in the filter's text, in code units from 0. */
  readonly at: number;
}

/** One condition of a filter (interface 4.2). */
export type Condition =
  /** Slugs or names, in any case: one of them must fit. */
  | { readonly name: 'category' | 'subcategory'; readonly values: readonly string[] }
  | { readonly name: 'price'; readonly operator: '<' | '<=' | '=' | '>=' | '>'; readonly cents: number }
  /** Cents: one of them must fit. */
  | { readonly name: 'price'; readonly values: readonly number[] }
  /** Slugs: one of them must fit. */
  | { readonly name: 'region'; readonly values: readonly string[] }
  | { readonly name: 'region_city'; readonly values: readonly FilterCity[] }
  /** Degrees and miles. */
  | { readonly name: 'lat_long'; readonly latitude: number; readonly longitude: number; readonly miles: number }
  | { readonly name: 'sold_out'; readonly value: boolean };

/**
 * Reads a filter: a deal must meet all its conditions.
 * @throws BadQuery with the fault and its place (ruling B5)
 */
export const parseFilter: (text: string) => readonly Condition[] = parserOf(
  'filter',
  FILTER_GRAMMAR,
  `the filters are ${FILTERS}`,
);
