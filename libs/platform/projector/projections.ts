import type { Logger } from 'pino';
import {
  type DueRow,
  type FedBatch,
  type Finding,
  type Projections,
  type ProjectorReport,
  type Time,
  Unavailable,
  type ViewDamage,
} from '#eventsourcing';
import type { Role } from '../config.js';
import type { SharedEngines } from '../engines/opened-state.js';
import type { ProjectorListener, RunningProjector } from './projector-thread.js';

/** Receives news of the projector. */
export interface ProjectionListener {
  /** A report of the projector, which may run in another process. */
  reported(report: ProjectorReport): void;
  /** Rows of work lists that the projector of this process wrote. */
  due(rows: Readonly<Record<string, readonly DueRow[]>>): void;
  /** The projector of this process has fed a batch to the live views; only if batches are traced. */
  fed(batch: FedBatch): void;
  /** The projector of this process could not follow the log for a moment. */
  doubt(): void;
  /** The projector of this process found that the log is not whole or not ours. */
  found(finding: Finding): void;
}

/** The projections, as one process sees them. */
export interface ProjectionsHere extends Projections {
  /** Tells the projector that this process appended something. */
  notify(): void;
  /** Tells the projector that a generation cannot be read here. */
  damaged(damage: ViewDamage): void;
  /** Milliseconds since the projector's last report. It reports every few seconds. */
  silentFor(): number;
  /** Why the projector of this process broke; undefined after its next report. */
  failure(): string | undefined;
  /**
   * Somebody waits for the views, while `isAwaited` says so: the projector of this process does not let them rest, and reports
   * of another one are looked for often.
   */
  hurry(isAwaited: () => boolean): void;
  /** Stops building views in this process. It still receives reports. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

const NOTHING = (): void => undefined;

const refused = (): Promise<never> =>
  Promise.reject(new Unavailable('the event log needs an operator: see /health/ready', 10));

/** Projections for a refused log: nobody builds views from it. The views that exist stay readable. */
export const NO_PROJECTIONS: ProjectionsHere = {
  report: () => undefined,
  order: refused,
  silentFor: () => 0,
  failure: () => undefined,
  notify: NOTHING,
  damaged: NOTHING,
  hurry: NOTHING,
  rest: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/**
 * Opens the projector. A process that does everything runs it itself. Of several workers, the one with the lease runs it; every
 * other process only receives its reports.
 * @param shared what several processes share; undefined if this one does everything
 * @param start starts the projector in this process
 */
export function openProjections(
  role: Role,
  shared: SharedEngines | undefined,
  logger: Logger,
  listener: ProjectionListener,
  time: Time,
  start: (on: ProjectorListener) => RunningProjector,
): ProjectionsHere {
  const aside = {
    notice: (text: string): void => logger.warn(text),
    broken: (error: Error): void => logger.error({ err: error }, 'the projector has failed; it starts again'),
    doubt: (): void => listener.doubt(),
    found: (finding: Finding): void => listener.found(finding),
  };
  let reportedAt = -Infinity;
  const receive = (report: ProjectorReport): void => {
    reportedAt = time.monotonic();
    listener.reported(report);
  };
  const silentFor = (): number => time.monotonic() - reportedAt;
  if (shared === undefined) {
    const thread = start({
      report(report, batch) {
        receive(report);
        listener.due(report.due);
        if (batch !== undefined) listener.fed(batch);
      },
      ...aside,
    });
    let resting: Promise<void> | undefined;
    const rest = (): Promise<void> => (resting ??= thread.close());
    return {
      report: () => thread.report(),
      order: (order) => (resting === undefined ? thread.order(order) : refused()),
      silentFor,
      failure: () => thread.failure(),
      notify: () => thread.notify(),
      damaged: (damage) => thread.damaged(damage),
      hurry: (isAwaited) => thread.hurry(isAwaited),
      rest,
      close: rest,
    };
  }

  const { leases, projections, newDesk } = shared;
  const closing = new AbortController();
  const following = projections.follow(receive, closing.signal);
  let running: RunningProjector | undefined;
  const lease = role === 'worker' ? leases.hold('projector', project) : undefined;

  /** Builds the views while this worker holds the lease. */
  async function project(held: AbortSignal): Promise<void> {
    logger.info('this worker builds the views now');
    const desk = newDesk();
    const thread = start({
      report(report, batch) {
        desk.publish(report);
        listener.due(report.due);
        if (batch !== undefined) listener.fed(batch);
      },
      ...aside,
    });
    running = thread;
    await desk.serve((order) => thread.order(order), held);
    await thread.close();
    running = undefined;
    await desk.close();
    logger.info('this worker no longer builds the views');
  }

  return {
    report: () => projections.report(),
    order: (order) => projections.order(order),
    silentFor,
    failure: () => running?.failure(),
    notify: NOTHING,
    // Shared views are on a server, which takes care of its own files.
    damaged: NOTHING,
    hurry: (isAwaited) => projections.hurry(isAwaited),
    async rest() {
      await lease?.close();
    },
    async close() {
      closing.abort();
      await lease?.close();
      await following;
    },
  };
}
