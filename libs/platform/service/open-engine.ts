import type { Logger } from 'pino';
import {
  CommandLoop,
  CountedNumbers,
  DenseNumbers,
  Freshness,
  isLossKnown,
  PersonalData,
  Reader,
  type SnapshotOptions,
  SteppableClock,
  ViewChanges,
  WholeLog,
  Writer,
} from '#eventsourcing';
import { type GuardedLog, LogReports, openOwnedLog } from '#ownership';
import type { Config } from '../config.js';
import type { Engine } from '../engine.js';
import type { Engines } from '../engines/engines.js';
import { leaseHolder } from '../engines/lease-holder.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { NO_KEYS, refuseToShow, refusingAppends } from '../folder/reads-only.js';
import { guardedKeys, guardedVault } from '../guarded-secrets.js';
import { machineClock } from '../machine-clock.js';
import type { Figures } from '../metrics/figures.js';
import { measuredLog } from '../metrics/measured-log.js';
import { codec, eventCounts, followers } from '../registry.js';
import type { Surroundings } from '../surroundings.js';
import type { Traces } from '../tracing/open-traces.js';

/** What a process stores, and what it decides and reads with. */
export interface OpenedEngine {
  readonly engines: Engines;
  /** The log, and the guard that checks whose log it is. */
  readonly owned: GuardedLog;
  readonly engine: Engine;
  readonly clock: SteppableClock;
  /** Numbers the events of a log that does not; it must learn which ones this process follows. */
  readonly counted: CountedNumbers | undefined;
  /** Why the log takes no more appends; undefined while it does. */
  readonly logFailure: () => string | undefined;
  /** Calls back after each append from now on. */
  whenAppended(call: () => void): void;
}

/**
 * Opens the configured engines, checks whose log it is, and builds the engine on them.
 * @param figures counts what is written; undefined if nobody counts
 * @throws Error for people to read if an engine cannot be opened, or if this build cannot use its data
 */
export async function openEngine(
  config: Config,
  logger: Logger,
  around: Surroundings,
  figures: Figures | undefined,
  traces?: Pick<Traces, 'appends'>,
): Promise<OpenedEngine> {
  const { machine } = around;
  const { time, randomness } = machine;
  let logFailure: string | undefined;
  let appended = (): void => undefined;
  const reports = new LogReports();
  const engines = await around.openEngines(config, logger, {
    appended: () => appended(),
    broken: () => reports.broken(),
    found: (finding) => reports.found(finding),
    failed(error) {
      logFailure = error.message;
      logger.fatal({ err: error }, 'the event log has failed; check the disk, then restart the service');
    },
    hindered(reason) {
      logFailure = reason;
      if (reason === undefined) logger.warn('there is room for the event log again; it continues');
      else logger.error(reason);
    },
  });
  const owned = await openOwnedLog(engines, {
    accepted: config.accept,
    me: leaseHolder(config, engines.place, randomness),
    keysShared: !stateEngineOf(config).inFolder,
    reports,
    logger,
    machine,
  });
  const { log, guard, acceptedLoss } = owned;
  const measured = figures === undefined ? log : measuredLog(log, figures.log, figures.sales, time);
  const written = around.readsOnly === true ? refusingAppends(log) : measured;
  const { views, keyring } = engines;
  const clock = new SteppableClock(machineClock(time, config.testTime));
  const snapshots: SnapshotOptions = {
    store: engines.snapshots,
    ...around.snapshots(),
    isLossAccepted: (finding, seen) => isLossKnown(finding, seen, acceptedLoss),
    failed: (error) => logger.warn({ err: error }, 'a snapshot cannot be written or read: a start takes longer'),
  };
  const loop = new CommandLoop({
    log: written,
    codec,
    clock,
    machine,
    followers,
    guard,
    snapshots,
    traces: traces?.appends,
  });
  const freshness = new Freshness(time);
  const counted = log.countsBytes ? new CountedNumbers({ log, views, view: eventCounts, freshness, time }) : undefined;
  return {
    engines,
    owned,
    clock,
    counted,
    engine: {
      writer: new Writer({ loop, log, codec, clock, randomness, followed: () => freshness.followed }),
      reader: new Reader({ views, freshness, log }),
      wholeLog: new WholeLog({ log, codec }),
      numbers: counted ?? new DenseNumbers(log),
      loop,
      log,
      positions: log,
      codec,
      views,
      changes: new ViewChanges(),
      freshness,
      clock,
      time,
      randomness,
      keyring,
      personalData:
        around.readsOnly === true
          ? new PersonalData(NO_KEYS, randomness, refuseToShow)
          : new PersonalData(guardedKeys(engines.keys, guard), randomness),
      vault: guardedVault(engines.vault, guard),
      records: engines.records,
    },
    logFailure: () => logFailure,
    whenAppended: (call) => void (appended = call),
  };
}
