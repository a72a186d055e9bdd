import type { Position, View } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import type { Freshness } from './freshness.js';
import type { RowVersions } from './ports/row-versions.js';
import type { StoredRow, ViewReader, ViewReaders } from './ports/view-store.js';
import type { Query, Where } from './query.js';
import type { Slices } from './slices.js';

/** The part of a list that the caller asks for. */
export interface Paging {
  /** Asks for the number of rows instead of a page. */
  readonly count: boolean;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** A request for a list. */
export interface AskedRows {
  readonly paging: Paging;
  /** The answer must be at least as new as this position. */
  readonly since: Position;
}

/** A page of rows, or their number. */
export type Listed<Row> = readonly Row[] | number;

/** Which rows a page has, or their number. */
export type ListedVersions = RowVersions | number;

/** What reading rows needs. */
export interface Reading {
  readonly views: ViewReaders;
  readonly freshness: Pick<Freshness, 'until'>;
}

/** The order of most lists; their rows say when they were made. */
export const NEWEST_FIRST: Query<'created_at'>['sort'] = [{ field: 'created_at', descending: true }];

/** Rows per read when a caller wants all of them. */
const PAGE = 1_000;

/**
 * A page of a view's rows, or their number.
 * @param where which rows; a function if the clock decides, called when the view is new enough
 * @throws DomainError page_too_large
 */
export async function listRows<Row extends object, F extends string>(
  { views, freshness }: Reading,
  view: View<Row, F>,
  where: Where<NoInfer<F>> | (() => Where<NoInfer<F>>),
  { paging: { count, page, perPage }, since }: AskedRows,
  sort: Query<NoInfer<F>>['sort'],
): Promise<Listed<Row>> {
  await freshness.until([view], since);
  const reader = views.reader(view);
  const fits = typeof where === 'function' ? where() : where;
  if (count) return reader.count(fits);
  return (await reader.find({ where: fits, sort, page, perPage, most: LARGEST_PAGE })).map(({ row }) => row);
}

/**
 * Which rows a page of a list has, or their number. For lists whose items are remembered: most of the rows are never read.
 * @param where see {@link listRows}
 */
export async function listVersions<Row extends object, F extends string>(
  { views, freshness }: Reading,
  view: View<Row, F>,
  where: Where<NoInfer<F>> | (() => Where<NoInfer<F>>),
  { paging: { count, page, perPage }, since }: AskedRows,
  sort: Query<NoInfer<F>>['sort'],
): Promise<ListedVersions> {
  await freshness.until([view], since);
  const reader = views.reader(view);
  const fits = typeof where === 'function' ? where() : where;
  if (count) return reader.count(fits);
  return reader.versions({ where: fits, sort, page, perPage });
}

/** One row of a view, at least as new as a position; undefined if there is none. */
export async function readRow<Row extends object>(
  reading: Reading,
  view: View<Row>,
  key: string,
  since: Position,
): Promise<Row | undefined> {
  return (await readStored(reading, view, key, since))?.row;
}

/** The same with its key and position. */
export async function readStored<Row extends object>(
  { views, freshness }: Reading,
  view: View<Row>,
  key: string,
  since: Position,
): Promise<StoredRow<Row> | undefined> {
  await freshness.until([view], since);
  return views.reader(view).get(key);
}

/**
 * All rows that meet a condition. Without an order they are sorted by key.
 * @param slices for what can be many rows: a store in this process answers without letting others have their turn
 */
export async function allRows<Row extends object, F extends string>(
  reader: Pick<ViewReader<Row, F>, 'find'>,
  where: Where<NoInfer<F>>,
  sort: Query<NoInfer<F>>['sort'] = [],
  slices?: Slices,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let page = 1; ; page += 1) {
    if (slices?.isOver === true) await slices.next();
    const rows = await reader.find({ where, sort, page, perPage: PAGE });
    for (const { row } of rows) all.push(row);
    if (rows.length < PAGE) return all;
  }
}
