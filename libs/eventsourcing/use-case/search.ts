import { DomainError, type View } from '#kernel';
import { LARGEST_CHUNK, MOST_EXAMINED } from '#kernel/bounds';
import { and, following, gte, lte, type PageEnd, type Query, type Where } from '../ports/query.js';
import type { StoredRow, ViewReader } from '../ports/view-store.js';
import type { Reader } from './reader.js';

/** Which rows of a view to find, in the order of one field; rows that are equal are sorted by key. */
export interface Search<Row extends object, F extends string> {
  readonly view: View<Row, F>;
  /** What an index of the view answers: equalities of the first fields of an order. */
  readonly where: readonly Where<F>[];
  /** The least and the greatest value of the field that sorts; rows without a value are left out. */
  readonly from: string | number;
  readonly to: string | number | undefined;
  readonly sort: { readonly field: F; readonly descending: boolean };
  /** The value of that field. */
  readonly value: (row: Row) => string | number;
  /** The other conditions, tested row by row; undefined if there are none. */
  readonly fits?: ((row: Row) => boolean) | undefined;
}

/** A part of what a search finds. */
export interface Found<Row extends object> {
  readonly rows: readonly StoredRow<Row>[];
  /** How many rows were looked at. */
  readonly examined: number;
  /** Where the next part begins; undefined at the end. */
  readonly next: PageEnd | undefined;
}

/** Rows that are read at a time while most of them may not fit. */
const CHUNK = 100;

/**
 * Finds the next rows of a search. The work is bounded, however many rows the view has: an index gives the rows that follow `after`.
 * @param bounds how many rows to find, and how many to look at for that
 */
export async function search<Row extends object, F extends string>(
  reader: Pick<Reader, 'of'>,
  asked: Search<Row, F>,
  after: PageEnd | undefined,
  bounds: { readonly find: number; readonly examine: number },
): Promise<Found<Row>> {
  const { view, sort, value, fits } = asked;
  const rows: StoredRow<Row>[] = [];
  let examined = 0;
  let next = after;
  while (rows.length < bounds.find && examined < bounds.examine) {
    const perPage = fits === undefined ? bounds.find : Math.min(CHUNK, bounds.examine - examined);
    // One more shows whether there is more.
    const { found, most } = await chunkOf(reader.of(view), { where: whereOf(asked, next), sort: [sort] }, perPage);
    for (const stored of found.slice(0, most)) {
      examined += 1;
      next = { value: value(stored.row), key: stored.key };
      if (fits?.(stored.row) === false) continue;
      rows.push(stored);
      if (rows.length === bounds.find) break;
    }
    const isLast = found.length <= most && found.at(-1)?.key === next?.key;
    if (found.length === 0 || isLast) return { rows, examined, next: undefined };
  }
  return { rows, examined, next };
}

/** The rows that follow, with one bound on each side: a store uses no more of an index. */
function whereOf<Row extends object, F extends string>(
  { where, sort: { field, descending }, from, to }: Search<Row, F>,
  after: PageEnd | undefined,
): Where<F> {
  const [first, last] = descending ? [to, from] : [from, to];
  const isWithin =
    after !== undefined && (first === undefined || (descending ? after.value <= first : after.value >= first));
  const [begins, ends] = descending ? [lte<F>, gte<F>] : [gte<F>, lte<F>];
  return and(
    ...where,
    ...(isWithin ? [following(field, descending, after)] : first === undefined ? [] : [begins(field, first)]),
    ...(last === undefined ? [] : [ends(field, last)]),
  );
}

/** The next rows, and one more; fewer if they are large. */
async function chunkOf<Row extends object, F extends string>(
  reader: ViewReader<Row, F>,
  asked: Pick<Query<F>, 'where' | 'sort'>,
  perPage: number,
): Promise<{ readonly found: readonly StoredRow<Row>[]; readonly most: number }> {
  for (let most = perPage; ; most = Math.ceil(most / 4)) {
    try {
      const page = { page: 1, perPage: most, ahead: 1, most: LARGEST_CHUNK, examine: MOST_EXAMINED };
      return { found: await reader.find({ ...asked, ...page }), most };
    } catch (error) {
      if (most === 1 || !(error instanceof DomainError) || error.code !== 'page_too_large') throw error;
    }
  }
}
