import type { EventLoopDelay } from '#eventsourcing';
import type { CacheStats } from '#http';
import { MetricsHistory, StoredMetrics } from '#metrics';
import type { Audits } from '../audit/open-audits.js';
import type { Config } from '../config.js';
import type { OpenedEngine } from '../service/open-engine.js';
import type { Runners } from '../service/open-runners.js';
import type { Surroundings } from '../surroundings.js';
import { Figures } from './figures.js';
import { type Outside, outsideOf } from './outside.js';
import { MeasuredService } from './measured-service.js';
import { SharedLooks } from './shared-looks.js';

/** Characters of a process's id beside its role. */
const ID_BYTES = 4;

/** What a process measures. */
export interface ServiceMetrics {
  /** What its parts count; undefined if nobody counts. */
  readonly figures: Figures | undefined;
  readonly looks: SharedLooks;
  readonly history: MetricsHistory;
  readonly outside: Outside;
  /** How often caches were asked, by their names. */
  readonly caches: Readonly<Record<string, CacheStats>>;
  /** Caches that came later. */
  remember(...caches: readonly Readonly<Record<string, CacheStats>>[]): void;
  /** Seconds that the event loop stood still at most in the last minute; null: unknown. */
  eventLoopDelay(): number | null;
  /** Begins to measure each second. */
  start(): void;
  /** Stores what is not stored yet. */
  close(): Promise<void>;
}

/** Puts together what a process measures. It measures nothing by itself before its start. */
export function openMetrics(
  config: Config,
  { engines, engine, owned: { guard } }: OpenedEngine,
  {
    figures,
    runners,
  }: {
    readonly figures: Figures | undefined;
    readonly runners: Runners;
    readonly audits: Audits;
  },
  around: Surroundings,
): ServiceMetrics {
  const { time, randomness, loop, views, clock } = engine;
  const looks = new SharedLooks(views, runners.work, clock, time);
  let delay: EventLoopDelay | undefined;
  let id: string | undefined;
  const measured = new MeasuredService({
    ...{ loop, looks },
    eventLoop: () => delay,
    figures: figures ?? new Figures(),
    projections: runners.projections,
  });
  const history = new MetricsHistory({
    ...{ measured, time },
    stored: new StoredMetrics(engines.keyValues),
    get id() {
      return (id ??= `${config.role}-${randomness.hex(ID_BYTES)}`);
    },
    role: config.role,
    mayWrite: () => !guard.refused,
  });
  const caches: Record<string, CacheStats> = {};
  return {
    figures,
    looks,
    history,
    outside: outsideOf(config, engines.log, runners.servers, time),
    caches,
    remember: (...more) => void Object.assign(caches, ...more),
    eventLoopDelay: () => measured.longestDelay,
    start() {
      if (figures === undefined) return;
      delay = around.machine.measureEventLoop?.();
      history.start();
    },
    async close() {
      await history.close();
      delay?.close();
    },
  };
}
