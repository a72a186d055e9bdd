import type { Instant, WorkRow } from '#kernel';
import type { Clock } from '../ports/clock.js';
import { everything, lte } from '../ports/query.js';
import { type StoredRow, ViewNotReady, type ViewReader, type ViewReaders } from '../ports/view-store.js';
import type { TriedWork, WorkTimers } from '../ports/work-timers.js';
import type { OpenWork } from './open-work.js';
import { isStuck } from './retries.js';

/** The rows of a list among which stuck ones are looked for: those that are due the longest. */
const EXAMINED = 1_000;

/** How much work of a list is open; null while its view is built. */
export interface WorkCounts {
  readonly list: string;
  readonly waiting: number | null;
  readonly due: number | null;
  /** Of the thousand rows that are due the longest; null if this process does not know either. */
  readonly stuck: number | null;
  /** The open row that is due first. */
  readonly first: StoredRow<WorkRow> | null;
}

/** A row of open work, and how often it was tried. */
export interface OpenRow extends StoredRow<WorkRow> {
  readonly state: 'waiting' | 'due' | 'stuck';
  /** `none`: it was not tried. undefined: this process does not know. */
  readonly tried: TriedWork | 'none' | undefined;
}

/** The open work of all lists, as operators, metrics and the health report see it (rulings G6.2, G11). */
export class WorkBook {
  readonly #lists: ReadonlyMap<string, OpenWork>;

  constructor(
    readonly lists: readonly OpenWork[],
    private readonly readers: ViewReaders,
    private readonly timers: Pick<WorkTimers, 'tried' | 'retry'>,
    private readonly clock: Clock,
  ) {
    this.#lists = new Map(lists.map((list) => [list.name, list]));
  }

  list(name: string): OpenWork | undefined {
    return this.#lists.get(name);
  }

  /** How much work of each list is open. Indexes count it. */
  counts(): Promise<readonly WorkCounts[]> {
    return Promise.all(this.lists.map((list) => this.#countsOf(list)));
  }

  /** The rows that were tried ten times or more, among the thousand of each list that are due the longest. */
  async stuck(): Promise<readonly TriedWork[]> {
    const found = await Promise.all(
      this.lists.map(async (list) => (await whileReady(() => this.#stuckIn(list))) ?? []),
    );
    return found.flat();
  }

  /** Tries a row at once if it is due, whatever pause it has; only where timers run. */
  retry(list: OpenWork, key: string): void {
    this.timers.retry(list.name, key);
  }

  /** How many rows of a list are open. @throws ViewNotReady */
  count(list: OpenWork): Promise<number> {
    return this.#reader(list).count(everything, Infinity);
  }

  /** A page of the open rows of a list, those first that are due the longest. @throws ViewNotReady */
  async page(list: OpenWork, page: number, perPage: number): Promise<readonly OpenRow[]> {
    return this.#tried(list, await dueFirst(this.#reader(list), everything, page, perPage));
  }

  /** An open row; undefined if there is none. @throws ViewNotReady */
  async row(list: OpenWork, key: string): Promise<OpenRow | undefined> {
    const stored = await this.#reader(list).get(key);
    return stored && (await this.#tried(list, [stored]))[0];
  }

  async #countsOf(list: OpenWork): Promise<WorkCounts> {
    const now = this.clock.now();
    const reader = this.#reader(list);
    const counts = await whileReady(async () => {
      const [waiting, due, stuck, [first]] = await Promise.all([
        reader.count({ op: 'gt', field: 'due_at', value: now }, Infinity),
        reader.count(lte('due_at', now), Infinity),
        this.#stuckIn(list),
        dueFirst(reader, everything, 1, 1),
      ]);
      return { list: list.name, waiting, due, stuck: stuck?.length ?? null, first: first ?? null };
    });
    return counts ?? { list: list.name, waiting: null, due: null, stuck: null, first: null };
  }

  /** undefined: this process does not know. */
  async #stuckIn(list: OpenWork): Promise<readonly TriedWork[] | undefined> {
    const rows = await dueFirst(this.#reader(list), lte('due_at', this.clock.now()), 1, EXAMINED);
    if (rows.length === 0) return [];
    const keys = rows.map(({ key }) => key);
    return (await this.timers.tried(list.name, keys))?.filter(isStuck);
  }

  async #tried(list: OpenWork, rows: readonly StoredRow<WorkRow>[]): Promise<readonly OpenRow[]> {
    if (rows.length === 0) return [];
    const tried = await this.timers.tried(
      list.name,
      rows.map(({ key }) => key),
    );
    const byKey = tried && new Map(tried.map((each) => [each.key, each]));
    const now = this.clock.now();
    return rows.map((stored) => {
      const own = byKey && (byKey.get(stored.key) ?? 'none');
      return { ...stored, tried: own, state: stateOf(stored.row.due_at, own, now) };
    });
  }

  #reader(list: OpenWork): ViewReader<WorkRow> {
    return this.readers.reader(list.view);
  }
}

function stateOf(dueAt: Instant, tried: OpenRow['tried'], now: Instant): OpenRow['state'] {
  if (dueAt > now) return 'waiting';
  return typeof tried === 'object' && isStuck(tried) ? 'stuck' : 'due';
}

function dueFirst(
  reader: ViewReader<WorkRow>,
  where: Parameters<ViewReader['find']>[0]['where'],
  page: number,
  perPage: number,
): Promise<readonly StoredRow<WorkRow>[]> {
  return reader.find({ where, sort: [{ field: 'due_at', descending: false }], page, perPage });
}

/** What a view says; undefined while it is built. */
async function whileReady<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ViewNotReady) return undefined;
    throw error;
  }
}
