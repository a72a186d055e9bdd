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
 *
 * A request may arrive twice, or long after its answer was given up. So each write names the numbers that it replaces, and
 * matches nothing once they have moved on.
 */
export class MongoDbProjectorDesk {
  private readonly reports: Collection<ReportDocument>;
  private readonly orders: Collection<OrderDocument>;
  private readonly changes: Record<string, number> = {};
  private latest: ProjectorReport | undefined;
  private epoch: number | undefined;
  /** Counts the writes of this desk, also those whose outcome is unknown. */
  private sequence = 0;
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
    this.publishing ??= this.publishAll();
  }

  /**
   * Carries out orders, one at a time, until the signal aborts. It then waits neither for an order nor for a silent server,
   * because another worker may already have the lease. A desk that has not published by then never does.
   */
  async serve(handler: (order: ProjectionOrder) => Promise<OrderOutcome>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await unlessAborted(this.serveOne(handler, signal), signal)) continue;
      } catch (error) {
        this.failed(error);
      }
      await this.time.pause(LOOK, { signal });
    }
    this.closed = true;
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
        if (this.closed) break;
        this.latest ??= report;
        await this.time.pause(AFTER_FAILURE);
      }
    }
    // In the same turn as the last question, so that no report between them waits for the next one.
    this.publishing = undefined;
  }

  private async write({ views, head }: ProjectorReport): Promise<void> {
    this.epoch ??= await this.begin();
    if (this.epoch === undefined) return;
    const text = writeReport({ report: { views, head }, changes: this.changes });
    const sequence = ++this.sequence;
    // If another desk has begun since, this matches nothing: only the newer one counts.
    const older = { _id: 'report' as const, epoch: this.epoch, sequence: { $lt: sequence } };
    await this.mongo.answer(this.reports.updateOne(older, { $set: { text, sequence } }));
  }

  /** Begins an epoch after all others. Undefined if the desk is closed: another one may have begun, and would be overtaken. */
  private async begin(): Promise<number | undefined> {
    for (;;) {
      const there = await this.mongo.answer(this.reports.findOne({ _id: 'report' }));
      if (this.closed) return undefined;
      const epoch = (there?.epoch ?? 0) + 1;
      if (await (there === null ? this.insert(epoch) : this.replace(there.epoch, epoch))) return epoch;
    }
  }

  private async insert(epoch: number): Promise<boolean> {
    try {
      await this.mongo.answer(this.reports.insertOne({ _id: 'report', epoch, sequence: 0, text: '' }));
      return true;
    } catch (error) {
      // Another process made the document at the same moment.
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  private async replace(before: number, epoch: number): Promise<boolean> {
    const still = { _id: 'report' as const, epoch: before };
    const { matchedCount } = await this.mongo.answer(this.reports.updateOne(still, { $set: { epoch, sequence: 0 } }));
    return matchedCount === 1;
  }

  /** False if there is no order. */
  private async serveOne(
    handler: (order: ProjectionOrder) => Promise<OrderOutcome>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const openOrders = { state: 'asked' as const, at: { $gte: this.time.wall() - ORDER_LASTS } };
    const oldest = await this.mongo.answer(this.orders.findOne(openOrders, { sort: { at: 1 } }));
    if (oldest === null || signal.aborted) return false;
    const { _id } = oldest;
    const taken = await this.mongo.answer(
      this.orders.findOneAndUpdate({ _id, state: 'asked' }, { $set: { state: 'taken' } }),
    );
    // Another worker took it, or it was withdrawn.
    if (taken === null) return true;
    const result = await handler(taken.order).then(
      (outcome) => ({ outcome }),
      (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
    );
    await this.mongo.answer(this.orders.updateOne({ _id, state: 'taken' }, { $set: { state: 'answered', ...result } }));
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
