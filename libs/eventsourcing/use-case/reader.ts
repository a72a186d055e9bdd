import { DomainError, type Position, type View } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import type { Freshness } from './freshness.js';
import type { EventLogReader } from '../ports/event-log.js';
import { isTooCostly } from '../ports/examined-rows.js';
import type { RowVersions } from '../ports/row-versions.js';
import type { StoredRow, ViewReader, ViewReaders } from '../ports/view-store.js';
import type { Query, Where } from '../ports/query.js';
import { presentCall } from '../scheduling/call-deadline.js';
import type { Slices } from '../scheduling/slices.js';
import { later } from '../events/later.js';
import { showsRow } from '../scheduling/present-answer.js';

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

/** What bounds the work for a list whose conditions few of many rows may meet. */
export interface ListBound {
  /** Rows that the store may look at. */
  readonly examine: number;
  /** The parameters that narrow the list, for the refusal, such as `from and to`. */
  readonly narrowedBy: string;
}

/** A page of rows, or their number. */
export type Listed<Row> = readonly Row[] | number;

/** Which rows a page has, or their number. */
export type ListedVersions = RowVersions | number;

/** The order of most lists; their rows say when they were made. */
export const NEWEST_FIRST: Query<'created_at'>['sort'] = [{ field: 'created_at', descending: true }];

/** Rows per read when a caller wants all of them. */
const PAGE = 1_000;

/** The reading side of a use case: the views, as new as the caller needs them. */
export class Reader {
  constructor(
    private readonly parts: {
      readonly views: ViewReaders;
      readonly freshness: Pick<Freshness, 'until' | 'has' | 'reachedBy'>;
      readonly log: Pick<EventLogReader, 'head'>;
    },
  ) {}

  /**
   * Waits until the views have seen everything up to `position`, and notes how far they have come for what the present call
   * shows.
   * @throws Unavailable after two seconds, naming the view and the lag
   */
  until(views: readonly { readonly name: string }[], position: Position): Promise<void> {
    const { freshness } = this.parts;
    // Whatever is read after the wait has at least these events.
    presentCall()?.shown?.reached(later(freshness.reachedBy(views), position));
    return freshness.until(views, position);
  }

  /** The log’s last position, asked of it now. */
  end(): Promise<Position> {
    return this.parts.log.head();
  }

  /** Up to where all of these views have come, as this process knows: every read of them that begins now has these events. */
  reachedBy(views: readonly { readonly name: string }[]): Position {
    return this.parts.freshness.reachedBy(views);
  }

  /** Whether a view has come to a position: every read of it that begins now sees what was written up to there. */
  has(view: { readonly name: string }, position: Position): boolean {
    return this.parts.freshness.has(view, position);
  }

  /** The rows of a view as they are now, however old. */
  of<Row extends object, F extends string>(view: View<Row, F>): ViewReader<Row, F> {
    return this.parts.views.reader(view);
  }

  /** Makes the next reads see everything that was written up to now, in this process at once. */
  refresh(): void {
    this.parts.views.refresh();
  }

  /** One row of a view, at least as new as a position; undefined if there is none. */
  async row<Row extends object>(view: View<Row>, key: string, since: Position): Promise<Row | undefined> {
    return (await this.stored(view, key, since))?.row;
  }

  /** The same with its key and position. */
  async stored<Row extends object>(view: View<Row>, key: string, since: Position): Promise<StoredRow<Row> | undefined> {
    await this.until([view], since);
    const stored = await this.of(view).get(key);
    showsRow(stored?.position);
    return stored;
  }

  /**
   * A page of a view's rows, or their number.
   * @param where which rows; a function if the clock decides, called when the view is new enough
   * @throws DomainError page_too_large, or list_too_costly if the list has a bound
   */
  async list<Row extends object, F extends string>(
    view: View<Row, F>,
    where: Where<NoInfer<F>> | (() => Where<NoInfer<F>>),
    { paging: { count, page, perPage }, since }: AskedRows,
    sort: Query<NoInfer<F>>['sort'],
    bound?: ListBound,
  ): Promise<Listed<Row>> {
    await this.until([view], since);
    const reader = this.of(view);
    const fits = typeof where === 'function' ? where() : where;
    return bounded(bound, async (examine) => {
      if (count) return reader.count(fits, examine);
      const query = { where: fits, sort, page, perPage, most: LARGEST_PAGE, ...(examine !== undefined && { examine }) };
      return (await reader.find(query)).map(({ row, position }) => {
        showsRow(position);
        return row;
      });
    });
  }

  /**
   * Which rows a page of a list has, or their number. For lists whose items are remembered: most of the rows are never read.
   * @param where see {@link Reader.list}
   * @throws DomainError list_too_costly if the list has a bound
   */
  async versions<Row extends object, F extends string>(
    view: View<Row, F>,
    where: Where<NoInfer<F>> | (() => Where<NoInfer<F>>),
    { paging: { count, page, perPage }, since }: AskedRows,
    sort: Query<NoInfer<F>>['sort'],
    bound?: ListBound,
  ): Promise<ListedVersions> {
    await this.until([view], since);
    const reader = this.of(view);
    const fits = typeof where === 'function' ? where() : where;
    return bounded<ListedVersions>(bound, async (examine) => {
      if (count) return reader.count(fits, examine);
      const query = { where: fits, sort, page, perPage, ...(examine !== undefined && { examine }) };
      const found = await reader.versions(query);
      showsRow(found.newest);
      return found;
    });
  }

  /**
   * All rows that meet a condition, however old. Without an order they are sorted by key.
   * @param slices for what can be many rows: a store in this process answers without letting others have their turn
   */
  async all<Row extends object, F extends string>(
    view: View<Row, F>,
    where: Where<NoInfer<F>>,
    sort: Query<NoInfer<F>>['sort'] = [],
    slices?: Slices,
  ): Promise<readonly Row[]> {
    const reader = this.of(view);
    const all: Row[] = [];
    for (let page = 1; ; page += 1) {
      if (slices?.isOver === true) await slices.next();
      const rows = await reader.find({ where, sort, page, perPage: PAGE });
      for (const { row } of rows) all.push(row);
      if (rows.length < PAGE) return all;
    }
  }
}

/** Reads within the bound of a list. @throws DomainError list_too_costly that names the parameters of the list */
async function bounded<Result>(
  bound: ListBound | undefined,
  find: (examine?: number) => Promise<Result>,
): Promise<Result> {
  if (bound === undefined) return find();
  try {
    return await find(bound.examine);
  } catch (error) {
    if (!isTooCostly(error)) throw error;
    const words = `the list costs too much: narrow it with ${bound.narrowedBy}, or ask for an earlier page`;
    throw new DomainError('list_too_costly', words);
  }
}
