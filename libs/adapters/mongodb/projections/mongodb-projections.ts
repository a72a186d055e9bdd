import type { Collection } from 'mongodb';
import {
  type Machine,
  type OrderOutcome,
  type ProjectionOrder,
  type Projections,
  type ProjectorReport,
  Unavailable,
} from '#eventsourcing';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';
import { ORDER_LASTS, ORDER_PATIENCE, type OrderDocument } from './order-document.js';
import { readReport, type ReportDocument } from './report-document.js';

/** Milliseconds between two looks for a new report: while somebody waits for one, and otherwise. */
const LOOK_IN_A_HURRY = 10;
const LOOK = 250;
/** How long a call of `hurry` counts: no reader waits longer. */
const HURRY_LASTS = 2_000;
/** Milliseconds between two looks for an order's outcome. */
const LOOK_FOR_OUTCOME = 50;

/**
 * The projector as seen by processes that do not run it: they read what a {@link MongoDbProjectorDesk} writes. It calls
 * `failed` for faults of the server, and tries again.
 */
export class MongoDbProjections implements Projections {
  private readonly reports: Collection<ReportDocument>;
  private readonly orders: Collection<OrderDocument>;
  private latest: ProjectorReport | undefined;
  private seen = { epoch: 0, sequence: 0, changes: {} as Readonly<Record<string, number>> };
  private hurried = -Infinity;
  private isAwaited = (): boolean => false;
  private rests = false;
  private wake = new AbortController();
  private readonly machine: Machine;

  constructor(
    private readonly mongo: MongoDb,
    private readonly failed: (error: unknown) => void,
  ) {
    this.machine = mongo.machine;
    this.reports = mongo.collection('projections');
    this.orders = mongo.collection('projection_orders');
  }

  report(): ProjectorReport | undefined {
    return this.latest;
  }

  /**
   * Calls the listener with each new report until the signal aborts. `changed` names the views that have changed since the
   * last report; after a change of workers, all views. `due` is empty: timers belong to the worker.
   */
  async follow(listener: (report: ProjectorReport) => void, signal: AbortSignal): Promise<void> {
    const wake = (): void => this.wake.abort();
    signal.addEventListener('abort', wake);
    while (!signal.aborted) {
      if (this.wake.signal.aborted) this.wake = new AbortController();
      try {
        const report = await this.look();
        if (report !== undefined) listener(report);
      } catch (error) {
        this.failed(error);
      }
      this.rests = !this.isAwaited() || this.machine.time.monotonic() - this.hurried >= HURRY_LASTS;
      await this.machine.time.pause(this.rests ? LOOK : LOOK_IN_A_HURRY, { signal: this.wake.signal });
    }
    signal.removeEventListener('abort', wake);
  }

  /** Looks now, and more often while `isAwaited` says that somebody waits for a report. */
  hurry(isAwaited: () => boolean): void {
    this.hurried = this.machine.time.monotonic();
    this.isAwaited = isAwaited;
    if (this.rests) this.wake.abort();
  }

  async order(order: ProjectionOrder): Promise<OrderOutcome> {
    const _id = this.machine.randomness.uuid();
    const at = this.machine.time.wall();
    await this.mongo.answer(this.orders.deleteMany({ at: { $lt: at - 2 * ORDER_LASTS } }));
    const asked: Omit<OrderDocument, '_id'> = { order, state: 'asked', at, outcome: null, failure: null };
    try {
      await this.mongo.answer(this.orders.insertOne({ _id, ...asked }));
      return await this.outcomeOf(_id);
    } finally {
      // An order that nobody took is never carried out.
      await this.withdraw(_id, asked);
    }
  }

  private async outcomeOf(_id: string): Promise<OrderOutcome> {
    const until = this.machine.time.monotonic() + ORDER_PATIENCE;
    while (this.machine.time.monotonic() < until) {
      const document = await this.mongo.answer(this.orders.findOne({ _id }));
      if (typeof document?.failure === 'string') throw new Unavailable(document.failure);
      if (document?.outcome) return document.outcome;
      await this.machine.time.pause(LOOK_FOR_OUTCOME);
    }
    throw new Unavailable('no projector answers: the order is withdrawn', 10);
  }

  /** Closes an order, also one that has not arrived yet: its document is then there before it. */
  private async withdraw(_id: string, { state: _, ...asked }: Omit<OrderDocument, '_id'>): Promise<void> {
    try {
      await this.mongo.answer(
        this.orders.updateOne({ _id }, { $set: { state: 'closed' }, $setOnInsert: asked }, { upsert: true }),
      );
    } catch (error) {
      // It arrived at the same moment.
      if (isDuplicate(error)) return this.withdraw(_id, { state: _, ...asked });
      throw error;
    }
  }

  private async look(): Promise<ProjectorReport | undefined> {
    const { epoch, sequence } = this.seen;
    const unseen = { _id: 'report' as const, $or: [{ epoch: { $ne: epoch } }, { sequence: { $ne: sequence } }] };
    const found = await this.mongo.answer(this.reports.findOne(unseen));
    // A desk that has begun without a report has left the text of the one before.
    if (found === null || found.sequence === 0) return undefined;
    const { report, changes } = readReport(found.text);
    const before = found.epoch === epoch ? this.seen.changes : undefined;
    const changed = report.views
      .map(({ view }) => view)
      .filter((view) => changes[view] !== before?.[view] || before === undefined);
    this.seen = { epoch: found.epoch, sequence: found.sequence, changes };
    this.latest = { ...report, changed, due: {} };
    return this.latest;
  }
}
