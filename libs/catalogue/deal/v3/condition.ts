/** The comparisons of a price. */
export const OPERATORS = ['<', '<=', '=', '>=', '>'] as const;

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
  | { readonly name: 'price'; readonly operator: (typeof OPERATORS)[number]; readonly cents: number }
  /** Cents: one of them must fit. */
  | { readonly name: 'price'; readonly values: readonly number[] }
  /** Slugs: one of them must fit. */
  | { readonly name: 'region'; readonly values: readonly string[] }
  | { readonly name: 'region_city'; readonly values: readonly FilterCity[] }
  /** Degrees and miles. */
  | { readonly name: 'lat_long'; readonly latitude: number; readonly longitude: number; readonly miles: number }
  | { readonly name: 'sold_out'; readonly value: boolean };

export type FilterName = Condition['name'];
