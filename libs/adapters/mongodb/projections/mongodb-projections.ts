import type { Collection } from 'mongodb';
import {
  type Machine,
  type OrderOutcome,
  type ProjectionOrder,
  type Projections,
  type ProjectorReport,
  Unavailable,
} from '#eventsourcing';
import { awaitServer } from '../await-server.js';
import type { MongoDb } from '../mongo-db.js';
import { ORDER_LASTS, ORDER_PATIENCE, type OrderDocument } from './order-document.js';
import { readReport, type ReportDocument } from './report-document.js';

/** How often it looks for a new report, in milliseconds: while somebody waits for one, and else. */
const LOOK_IN_A_HURRY = 10;
const LOOK = 250;
/** A wish for haste counts for so long: no reader waits longer. */
const HURRY_LASTS = 2_000;
/** How often the outcome of an order is looked for. */
const LOOK_FOR_OUTCOME = 50;

/**
 * The projector as the processes see it that do not run it, by what a {@link MongoDbProjectorDesk} writes. `failed` hears of
 * what goes wrong with the server, which is tried again.
 */
export class MongoDbProjections implements Projections {
  private readonly reports: Collection<ReportDocument>;
  private readonly orders: Collection<OrderDocument>;
  private latest: ProjectorReport | undefined;
  private seen = { epoch: 0, sequence: 0, changes: {} as Readonly<Record<string, number>> };
  private hurried = -Infinity;
  private wake = new AbortController();
  private readonly machine: Machine;

  constructor(
    mongo: MongoDb,
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
   * Calls the listener with each new report that is seen, until the signal aborts. `changed` names the views that have
   * changed since the one before; after a change of workers, all of them. `due` is empty: timers are the worker's.
   */
  async follow(listener: (report: ProjectorReport) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const report = await this.look();
        if (report !== undefined) listener(report);
      } catch (error) {
        this.failed(error);
      }
      const haste = this.machine.time.monotonic() - this.hurried < HURRY_LASTS;
      this.wake = new AbortController();
      const woken = AbortSignal.any([signal, this.wake.signal]);
      await this.machine.time.pause(haste ? LOOK_IN_A_HURRY : LOOK, { signal: woken });
    }
  }

  /** Somebody waits for a report: looks now, and more often for a while. */
  hurry(): void {
    const late = this.machine.time.monotonic() - this.hurried >= HURRY_LASTS;
    this.hurried = this.machine.time.monotonic();
    if (late) this.wake.abort();
  }

  async order(order: ProjectionOrder): Promise<OrderOutcome> {
    const _id = this.machine.randomness.uuid();
    const at = this.machine.time.wall();
    await awaitServer(this.orders.deleteMany({ at: { $lt: at - 2 * ORDER_LASTS } }));
    await awaitServer(this.orders.insertOne({ _id, order, state: 'asked', at, outcome: null, failure: null }));
    const until = this.machine.time.monotonic() + ORDER_PATIENCE;
    try {
      while (this.machine.time.monotonic() < until) {
        const document = await awaitServer(this.orders.findOne({ _id }));
        if (typeof document?.failure === 'string') throw new Unavailable(document.failure);
        if (document?.outcome) return document.outcome;
        await this.machine.time.pause(LOOK_FOR_OUTCOME);
      }
      throw new Unavailable('no projector answers: the order is withdrawn', 10);
    } finally {
      // One that nobody took is never carried out.
      await awaitServer(this.orders.deleteOne({ _id }));
    }
  }

  private async look(): Promise<ProjectorReport | undefined> {
    const { epoch, sequence } = this.seen;
    const unseen = { _id: 'report' as const, $or: [{ epoch: { $ne: epoch } }, { sequence: { $ne: sequence } }] };
    const found = await awaitServer(this.reports.findOne(unseen));
    // One who has begun and not said anything yet has left the text of the one before.
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
