import { dealListingView, unitsOver } from '#catalogue/model';
import { type Clock, lte, type OpenWork, type StuckWork, type Time, type ViewReaders } from '#eventsourcing';
import { type Instant, SECOND } from '#kernel';
import { holdExpiry } from '#purchasing/model';
import { Look } from './look.js';

/** Deals with too many units sold that are summed up: one is enough for an alert. */
const MOST_OVERSOLD = 1_000;

/** Due work of one list. */
export interface DueOf {
  readonly list: string;
  readonly due: number;
  /** Seconds since the oldest of it was due; 0 if nothing is. */
  readonly late: number;
}

/** Values that all processes of an installation find in the same views. Each is asked for now and then, in the background. */
export class SharedLooks {
  /** Holds that have not run out. */
  readonly holds: Look<{ readonly open: number }>;
  /** Units that are held or sold beyond the stock of their deal, of all deals together: it must be 0. */
  readonly oversold: Look<number>;
  readonly due: Look<readonly DueOf[]>;
  readonly stuck: Look<readonly StuckWork[]>;
  /** The names of all work lists. */
  readonly lists: readonly string[];

  constructor(
    readers: ViewReaders,
    lists: readonly Pick<OpenWork, 'name' | 'view'>[],
    stuck: () => Promise<readonly StuckWork[]>,
    clock: Clock,
    time: Time,
  ) {
    this.holds = new Look(
      async () => ({
        open: await readers.reader(holdExpiry.view).count({ op: 'gt', field: 'due_at', value: clock.now() }, Infinity),
      }),
      SECOND,
      time,
    );
    this.oversold = new Look(() => oversoldUnits(readers), SECOND, time);
    this.due = new Look(() => Promise.all(lists.map((list) => dueOf(readers, list, clock.now()))), 5 * SECOND, time);
    this.stuck = new Look(stuck, 5 * SECOND, time);
    this.lists = lists.map(({ name }) => name);
  }
}

async function oversoldUnits(readers: ViewReaders): Promise<number> {
  const rows = await readers.reader(dealListingView).find({
    where: { op: 'gt', field: 'oversold', value: 0 },
    sort: [],
    page: 1,
    perPage: MOST_OVERSOLD,
  });
  return rows.reduce((sum, { row }) => sum + unitsOver(row.units), 0);
}

async function dueOf(
  readers: ViewReaders,
  { name, view }: Pick<OpenWork, 'name' | 'view'>,
  now: Instant,
): Promise<DueOf> {
  const where = lte('due_at' as const, now);
  const reader = readers.reader(view);
  const [due, oldest] = await Promise.all([reader.count(where, Infinity), reader.min('due_at', where)]);
  return { list: name, due, late: typeof oldest === 'number' ? Math.max(0, now - oldest) / SECOND : 0 };
}
