import { dealListingView, unitsOver } from '#catalogue/model';
import type { Clock, Time, ViewReaders, WorkBook, WorkCounts } from '#eventsourcing';
import { SECOND } from '#kernel';
import { holdExpiry } from '#purchasing/model';
import { Look } from './look.js';

/** Deals with too many units sold that are summed up: one is enough for an alert. */
const MOST_OVERSOLD = 1_000;

/** Values that all processes of an installation find in the same views. Each is asked for now and then, in the background. */
export class SharedLooks {
  /** Holds that have not run out. */
  readonly holds: Look<{ readonly open: number }>;
  /** Units that are held or sold beyond the stock of their deal, of all deals together: it must be 0. */
  readonly oversold: Look<number>;
  /** The open work of each list. */
  readonly work: Look<readonly WorkCounts[]>;

  constructor(readers: ViewReaders, work: Pick<WorkBook, 'counts'>, clock: Clock, time: Time) {
    this.holds = new Look(
      async () => ({
        open: await readers.reader(holdExpiry.view).count({ op: 'gt', field: 'due_at', value: clock.now() }, Infinity),
      }),
      SECOND,
      time,
    );
    this.oversold = new Look(() => oversoldUnits(readers), SECOND, time);
    this.work = new Look(() => work.counts(), 5 * SECOND, time);
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
