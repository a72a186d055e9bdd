import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import {
  type EventLogReader,
  type KeyValueStore,
  LogFollower,
  type LogListener,
  type Projections,
  type ProjectorReport,
  retryWhileUnavailable,
  WorkBook,
  WorkRunner,
} from '#eventsourcing';
import type { Recorded } from '#kernel';
import { aheadAfter, retriedBy, SERVICE_CLOCK, serviceClock } from '#operations/model';
import { ClockWatch, INSTALLATION_ENTRY } from '#ownership';
import type { Config } from '../config.js';
import { gatewayOf } from '../engines/gateways.js';
import { logEngineOf } from '../engines/log-engines.js';
import { type Server, whereIs } from '../engines/named-engine.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { timersEngineOf } from '../engines/timers-engines.js';
import { warnOfFutureEvents } from '../future-events.js';
import { EngineWatch, type Watched } from '../log/engine-watch.js';
import { hostsOf, logWaits } from '../log/log-waits.js';
import { ViewLogger } from '../log/view-logger.js';
import { NO_PROJECTIONS, openProjections, type ProjectionsHere } from '../projector/projections.js';
import type { Surroundings } from '../surroundings.js';
import type { Traces } from '../tracing/open-traces.js';
import { tracedWork } from '../tracing/traced-work.js';
import type { OpenedContexts } from './open-contexts.js';
import type { OpenedEngine } from './open-engine.js';

/** What runs in a process by itself: timers, work, what follows the log, and the projector. */
export interface Runners {
  /** The projector, which may run in another process. */
  readonly projections: Projections & Pick<ProjectionsHere, 'silentFor' | 'failure'>;
  readonly runner: WorkRunner;
  /** The open work of all lists. */
  readonly work: WorkBook;
  /** The queues of the work lists; none without Redis. */
  readonly queues: readonly Queue[];
  /** Whether Redis is away; undefined where timers of the process do without it. */
  readonly isRedisAway: () => boolean | undefined;
  /** Tells the timers that somebody moved the clock. */
  clockMoved(): void;
  /** The servers that this process needs, and whether they answer. */
  readonly servers: () => EngineWatch['servers'];
  /** Stops the watch over servers. */
  stopWatch(): void;
  /** Stops the timers, and waits for work under way. */
  closeTimers(): Promise<void>;
  /** Stops following the log, and the projector. */
  close(): Promise<void>;
}

/** Starts what follows the log and builds views, unless the log is refused; work starts later. */
export async function openRunners(
  config: Config,
  opened: OpenedEngine,
  { parts: { tries }, lists }: OpenedContexts,
  logger: Logger,
  around: Surroundings,
  traces?: Pick<Traces, 'tracer' | 'fed'>,
): Promise<Runners> {
  const { engines, engine, clock, owned, counted } = opened;
  const { log, guard } = owned;
  const { loop, views, freshness, changes, time } = engine;
  // A log that is refused at the start is not followed, and the data beside it stays as it is.
  const { refused } = guard;
  const ticking = refused ? { ...config, redisUrl: undefined, timers: false } : config;
  const timersEngine = timersEngineOf(ticking);
  const { timers, queues, isRedisAway } = await logWaits({ log: logger, time }, whereIs(timersEngine, ticking), () =>
    around.openTimers(ticking, { clock, log, logger, lists: lists.map(({ name }) => name), time }),
  );
  const clocks =
    config.testTime === undefined
      ? new ClockWatch(
          clock,
          (id) => loop.hasDecided(id),
          (finding) => owned.doubtClock(finding),
        )
      : undefined;
  const work = new WorkBook(lists, views, timers, clock);
  // The follower starts before the clock is read: so it misses no move in between.
  const listener: LogListener = {
    event(event, written) {
      counted?.took(event.position);
      // A process that does everything decided the event itself.
      if (config.role === 'all') return;
      loop.outdate(event);
      tries.note(event);
      if (queues.length === 0) retryOrdered(work, event);
      const ahead = config.testClock ? aheadAfter(event) : undefined;
      if (ahead !== undefined) {
        clock.follow(ahead);
        timers.clockMoved();
      }
      clocks?.check(event, written);
    },
    reached(position) {
      counted?.followedTo(position);
      freshness.followedTo(position);
    },
    found: (finding) => guard.refuse(finding),
    failed(error) {
      guard.doubt();
      logger.warn({ err: error }, 'the event log cannot be followed at the moment');
    },
  };
  const shares = config.role !== 'all' && !refused;
  const follows = shares || (counted !== undefined && !refused);
  const follower = follows
    ? await retryWhileUnavailable(time, () => LogFollower.start(log, listener, time))
    : undefined;
  const counting = new AbortController();
  if (follows) void counted?.begin(counting.signal);
  if (config.testClock && !refused)
    clock.follow((await retryWhileUnavailable(time, () => loop.read(serviceClock, SERVICE_CLOCK))).ahead);
  if (!refused) await retryWhileUnavailable(time, () => warnOfFutureEvents(log, clock, logger));
  const runner = new WorkRunner({
    lists: traces === undefined ? lists : tracedWork(lists, traces.tracer),
    readers: views,
    timers,
    clock,
    guard,
    mayLag: shares && config.testClock,
  });
  const viewLogger = new ViewLogger(logger);
  const projectorData = {
    locations: engines.locations,
    dueRows: timers.wants,
    accepted: owned.acceptedLoss,
    traced: traces !== undefined,
  };
  const projections = refused
    ? NO_PROJECTIONS
    : openProjections(
        config.role,
        engines.shared,
        logger,
        {
          reported(report: ProjectorReport) {
            viewLogger.logChanges(report);
            views.refresh();
            changes.tell(report.changed);
            changes.live(report.views);
            freshness.reached(report.views.filter(({ generation }) => generation !== null));
          },
          fed: (batch) => traces?.fed(batch),
          doubt: () => guard.doubt(),
          found(finding) {
            if (finding.kind === 'view') void guard.refuseAfterCheck(finding);
            else guard.refuse(finding);
          },
          due(rows) {
            for (const [list, due] of Object.entries(rows)) runner.noticed(list, due);
          },
        },
        time,
        (on) => around.startProjector(projectorData, on, time),
      );
  // As at a start, no views follow a refused log.
  guard.whenRefused(() => void projections.rest());
  // The server may have been replaced by an older copy since the check of this start, and nothing was under way that would break.
  if (!refused) guard.doubt();
  const watch = new EngineWatch(watchedOf(config, engines.log, engines.keyValues, around), logger, time);
  opened.whenAppended(() => projections.notify());
  freshness.onWait = () => projections.hurry(() => freshness.isAwaited);
  views.onDamage = (damage) => projections.damaged(damage);
  return {
    projections,
    runner,
    work,
    queues,
    isRedisAway,
    clockMoved: () => timers.clockMoved(),
    servers: () => watch.servers,
    stopWatch: () => watch.close(),
    closeTimers: () => timers.close(),
    async close() {
      counting.abort();
      await follower?.close();
      await projections.close();
    },
  };
}

/** Another process has taken an operator’s order to try a row again; jobs in a queue have heard of it there. */
function retryOrdered(work: WorkBook, event: Recorded): void {
  const ordered = retriedBy(event);
  if (ordered === undefined) return;
  const list = work.list(ordered.list);
  if (list !== undefined) work.retry(list, ordered.key);
}

/** The servers that a process needs. Redis is not among them: its client reports itself. */
function watchedOf(
  config: Config,
  log: EventLogReader,
  keyValues: KeyValueStore,
  { reach }: Pick<Surroundings, 'reach'>,
): Watched[] {
  const at = (server: Server | undefined, ask: (url: string) => Promise<unknown>): Watched[] =>
    server === undefined
      ? []
      : [{ name: server.name, engine: `${server.name} at ${hostsOf(server.url)}`, ask: () => ask(server.url) }];
  return [
    ...at(logEngineOf(config).server(config), () => log.head()),
    ...at(stateEngineOf(config).server(config), () => keyValues.get(INSTALLATION_ENTRY)),
    // Any answer shows that it runs.
    ...at(gatewayOf(config).server(config), reach),
  ];
}
