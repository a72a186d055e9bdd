import type { Scalar } from '#kernel';

/**
 * The query language of every view store. A condition on a field with many values holds if one of them meets it (`ne`: if
 * none of them equals). `null` equals only null. A range never holds for null or for a value of another type than its bound.
 * The order is: null, numbers, strings by code point (the order of their UTF-8 bytes), false, true. `F` are the fields that it
 * names: a reader accepts only those of its view.
 */
export type Where<F extends string = string> =
  | { readonly op: 'eq' | 'ne'; readonly field: F; readonly value: Scalar }
  | { readonly op: 'in'; readonly field: F; readonly values: readonly Scalar[] }
  | { readonly op: 'lt' | 'lte' | 'gt' | 'gte'; readonly field: F; readonly value: string | number }
  /** The folded text of a `text` field contains the folded part. */
  | { readonly op: 'contains'; readonly field: F; readonly part: string }
  /** One of the places is within this many miles, on the great circle. */
  | {
      readonly op: 'near';
      readonly field: F;
      readonly latitude: number;
      readonly longitude: number;
      readonly miles: number;
    }
  /** The row's key comes after this one. */
  | { readonly op: 'keyAfter'; readonly key: string }
  | { readonly op: 'and' | 'or'; readonly of: readonly Where<F>[] }
  /** Holds where the condition does not. */
  | { readonly op: 'not'; readonly of: Where<F> };

export interface Query<F extends string = string> {
  readonly where: Where<F>;
  /** `value` fields with one value each, or `key`. Rows that are equal are sorted by key, ascending. */
  readonly sort: readonly { readonly field: F | 'key'; readonly descending: boolean }[];
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** How many rows to read beyond the page: they show whether there is another page. */
  readonly ahead?: number;
  /** Characters that all rows together may have, as JSON: a larger page is refused while it is read (`PageSize`). */
  readonly most?: number;
  /**
   * Rows that the store may look at to find the page (`ExaminedRows`). MongoDB does not count them: it limits the time. A store in
   * this process looks at many rows in another thread (ruling I17), also for Infinity, which is no limit.
   */
  readonly examine?: number;
}

/** The mean radius of the earth in miles, the same for every store. */
export const EARTH_RADIUS_MILES = 3_958.7613;

export const eq = <F extends string>(field: F, value: Scalar): Where<F> => ({ op: 'eq', field, value });
export const ne = <F extends string>(field: F, value: Scalar): Where<F> => ({ op: 'ne', field, value });
/** One value is an equality: only then a store can read the rows in an order that begins with this field. */
export const oneOf = <F extends string>(field: F, values: readonly Scalar[]): Where<F> => {
  const [only, ...others] = values;
  return only === undefined || others.length > 0 ? memberOf(field, values) : eq(field, only);
};
/**
 * Holds for the rows that have each of these values; one that is undefined counts for nothing. Name the value first that the
 * fewest rows have: a store reads a list in the order of an index of that one, and tests each row for the others.
 */
export const having = <F extends string>(...values: readonly (readonly [F, Scalar | undefined])[]): Where<F> => {
  const named = values.flatMap(([field, value]) => (value === undefined ? [] : [{ field, value }]));
  return and(...named.map(({ field, value }, nth) => (nth === 0 ? eq(field, value) : memberOf(field, [value]))));
};
const memberOf = <F extends string>(field: F, values: readonly Scalar[]): Where<F> => ({ op: 'in', field, values });
export const lt = <F extends string>(field: F, value: string | number): Where<F> => ({ op: 'lt', field, value });
export const lte = <F extends string>(field: F, value: string | number): Where<F> => ({ op: 'lte', field, value });
export const gt = <F extends string>(field: F, value: string | number): Where<F> => ({ op: 'gt', field, value });
export const gte = <F extends string>(field: F, value: string | number): Where<F> => ({ op: 'gte', field, value });
export const contains = <F extends string>(field: F, part: string): Where<F> => ({ op: 'contains', field, part });
export const and = <F extends string>(...of: readonly Where<F>[]): Where<F> => ({ op: 'and', of });
export const or = <F extends string>(...of: readonly Where<F>[]): Where<F> => ({ op: 'or', of });
export const not = <F extends string>(of: Where<F>): Where<F> => ({ op: 'not', of });
/** Is true for every row. */
export const everything: Where<never> = { op: 'and', of: [] };

/** A row as the last one of a page: its value of the field that the list is sorted by, and its key. */
export interface PageEnd {
  readonly value: string | number;
  readonly key: string;
}

/** Holds for rows that come after this one in a list that one field sorts, so a page needs no rows of earlier pages. */
export const following = <F extends string>(field: F, descending: boolean, { value, key }: PageEnd): Where<F> => {
  const [past, from] = descending ? [lt, lte] : [gt, gte];
  // The first condition finds the place in an index; the others leave out rows with the same value.
  return and(from(field, value), or(past(field, value), and(eq(field, value), { op: 'keyAfter', key })));
};
