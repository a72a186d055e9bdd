import type { Position, View } from '#kernel';
import type { Freshness } from './freshness.js';
import type { ViewReader, ViewReaders } from './ports/view-store.js';
import type { Query, Where } from './query.js';

/** What a caller wants of a list. */
export interface Paging {
  /** How many there are, in place of a page. */
  readonly count: boolean;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** A list that is asked for. */
export interface AskedRows {
  readonly paging: Paging;
  /** The answer is at least as new. */
  readonly since: Position;
}

/** A page of rows; or how many there are, where that was asked for. */
export type Listed<Row> = readonly Row[] | number;

/** What rows are read with. */
export interface Reading {
  readonly views: ViewReaders;
  readonly freshness: Pick<Freshness, 'until'>;
}

/** The order of most lists: their rows say when they were made. */
export const NEWEST_FIRST: Query['sort'] = [{ field: 'created_at', descending: true }];

/** Rows that are read at once where all are wanted. */
const PAGE = 1_000;

/**
 * A page of the rows of a view, or their count.
 * @param where which rows; as a function, where the clock decides: it is asked once the view is new enough
 */
export async function listRows<Row extends object>(
  { views, freshness }: Reading,
  view: View<Row>,
  where: Where | (() => Where),
  { paging: { count, page, perPage }, since }: AskedRows,
  sort: Query['sort'] = NEWEST_FIRST,
): Promise<Listed<Row>> {
  await freshness.until([view], since);
  const reader = views.reader(view);
  const fits = typeof where === 'function' ? where() : where;
  if (count) return reader.count(fits);
  return (await reader.find({ where: fits, sort, page, perPage })).map(({ row }) => row);
}

/** One row of a view, which is at least as new as a position; undefined where there is none. */
export async function readRow<Row extends object>(
  { views, freshness }: Reading,
  view: View<Row>,
  key: string,
  since: Position,
): Promise<Row | undefined> {
  await freshness.until([view], since);
  return (await views.reader(view).get(key))?.row;
}

/** All rows that meet a condition, however many there are. Without an order they come by their keys. */
export async function allRows<Row extends object>(
  reader: Pick<ViewReader<Row>, 'find'>,
  where: Where,
  sort: Query['sort'] = [],
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let page = 1; ; page += 1) {
    const rows = await reader.find({ where, sort, page, perPage: PAGE });
    for (const { row } of rows) all.push(row);
    if (rows.length < PAGE) return all;
  }
}
