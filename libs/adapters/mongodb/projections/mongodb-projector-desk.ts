import type { Collection } from 'mongodb';
import type { OrderOutcome, ProjectionOrder, ProjectorReport, Time } from '#eventsourcing';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';
import { ORDER_LASTS, type OrderDocument } from './order-document.js';
import { type ReportDocument, writeReport } from './report-document.js';

/** The shortest time between two written reports, in milliseconds. */
const PUBLISH_EVERY = 20;
/** Milliseconds until the next try after a failure. */
const AFTER_FAILURE = 1_000;
/** Milliseconds between two looks for orders: only operators give them, and seldom. */
const LOOK = 300;

/**
 * The side of the process that runs the projector: it publishes the projector's reports and carries out orders. Make a new
 * one each time the process gets the lease: earlier ones, in any process, then publish nothing more. It calls `failed` for
 * faults of the server, and tries again.
 */
export class MongoDbProjectorDesk {
  private readonly reports: Collection<ReportDocument>;
  private readonly orders: Collection<OrderDocument>;
  private readonly changes: Record<string, number> = {};
  private latest: ProjectorReport | undefined;
  private epoch: number | undefined;
  private publishing: Promise<void> | undefined;
  private closed = false;
  private readonly time: Time;

  constructor(
    private readonly mongo: MongoDb,
    private readonly failed: (error: unknown) => void,
  ) {
    this.time = mongo.machine.time;
    this.reports = mongo.collection('projections');
    this.orders = mongo.collection('projection_orders');
  }

  /** Publishes a report soon; of several in a row, only the last one. */
  publish(report: ProjectorReport): void {
    for (const view of report.changed) this.changes[view] = (this.changes[view] ?? 0) + 1;
    this.latest = report;
    this.publishing ??= this.publishAll().finally(() => {
      this.publishing = undefined;
    });
  }

  /**
   * Carries out orders, one at a time, until the signal aborts. It then waits neither for an order nor for a silent server,
   * because another worker may already have the lease.
   */
  async serve(handler: (order: ProjectionOrder) => Promise<OrderOutcome>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await unlessAborted(this.serveOne(handler), signal)) continue;
      } catch (error) {
        this.failed(error);
      }
      await this.time.pause(LOOK, { signal });
    }
  }

  /** Finishes the write under way and publishes nothing more. */
  async close(): Promise<void> {
    this.closed = true;
    await this.publishing;
  }

  private async publishAll(): Promise<void> {
    while (this.latest !== undefined) {
      const report = this.latest;
      this.latest = undefined;
      try {
        await this.write(report);
        await this.time.pause(PUBLISH_EVERY);
      } catch (error) {
        this.failed(error);
        if (this.closed) return;
        this.latest ??= report;
        await this.time.pause(AFTER_FAILURE);
      }
    }
  }

  private async write({ views, head }: ProjectorReport): Promise<void> {
    const epoch = (this.epoch ??= await this.begin());
    const text = writeReport({ report: { views, head }, changes: this.changes });
    // If another desk has begun since, this matches nothing: only the newer one counts.
    await this.mongo.answer(
      this.reports.updateOne({ _id: 'report', epoch }, { $set: { text }, $inc: { sequence: 1 } }),
    );
  }

  private async begin(): Promise<number> {
    try {
      const begun = await this.mongo.answer(
        this.reports.findOneAndUpdate(
          { _id: 'report' },
          { $inc: { epoch: 1 }, $set: { sequence: 0 } },
          { upsert: true, returnDocument: 'after' },
        ),
      );
      return begun?.epoch ?? 1;
    } catch (error) {
      // Another process made the document at the same moment.
      if (isDuplicate(error)) return this.begin();
      throw error;
    }
  }

  private async serveOne(handler: (order: ProjectionOrder) => Promise<OrderOutcome>): Promise<boolean> {
    const openOrders = { state: 'asked' as const, at: { $gte: this.time.wall() - ORDER_LASTS } };
    const taken = await this.mongo.answer(
      this.orders.findOneAndUpdate(openOrders, { $set: { state: 'taken' } }, { sort: { at: 1 } }),
    );
    if (taken === null) return false;
    const result = await handler(taken.order).then(
      (outcome) => ({ outcome }),
      (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
    );
    await this.mongo.answer(this.orders.updateOne({ _id: taken._id }, { $set: { state: 'answered', ...result } }));
    return true;
  }
}

/** The result of the work; false as soon as the signal aborts. */
async function unlessAborted(work: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
  const abort = (): void => resolve(false);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
