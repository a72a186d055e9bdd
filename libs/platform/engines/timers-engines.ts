import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import { InProcessTimers } from '#adapters/embedded';
import type { Clock, EventLog, Time, WorkTimers } from '#eventsourcing';
import type { Config, ServerUrls } from '../config.js';
import { engineNamedBy, urlOf, type NamedEngine } from './named-engine.js';

/** The parts of the process that timers need. */
export interface AroundTimers {
  readonly clock: Clock;
  readonly log: EventLog;
  /** The names of the work lists. */
  readonly lists: readonly string[];
  readonly logger: Logger;
  readonly time: Time;
}

/** The timers, and their queues to show to operators; embedded timers have none. */
export interface OpenedTimers {
  readonly timers: WorkTimers;
  readonly queues: readonly Queue[];
  /** Whether Redis is away; undefined if the timers do not use it. */
  readonly isRedisAway: () => boolean | undefined;
}

/** The timers that wake the work lists. */
export interface TimersEngine extends NamedEngine {
  /** @throws Error with advice if the timers cannot open */
  open(config: Config, around: AroundTimers): Promise<OpenedTimers>;
}

const failed =
  (logger: Logger) =>
  (error: unknown): void =>
    logger.error({ err: error }, 'the work of a work list has failed');

/** Timers of this process. */
const embedded: TimersEngine = {
  inFolder: false,
  server: () => undefined,
  open({ timers: enabled }, { clock, logger, time }) {
    const onError = (_: string, error: unknown): void => failed(logger)(error);
    const timers = new InProcessTimers(clock, { enabled, onError, time });
    return Promise.resolve({ timers, queues: [], isRedisAway: () => undefined });
  },
};

/** Jobs in Redis: every process sees them, and workers do them. Only this engine loads the library. */
const bullmq: TimersEngine = {
  inFolder: false,
  server: ({ redisUrl: url }) => (url === undefined ? undefined : { name: 'Redis', url }),
  async open(config, { clock, log, lists, logger, time }) {
    const { BullMqTimers } = await import('#adapters/bullmq');
    const timers = await BullMqTimers.open({
      url: urlOf(this, config),
      prefix: `holdfast-${log.identity}`,
      clock,
      lists,
      onError: failed(logger),
      away: (message) => logger.error(message),
      warn: (message) => logger.warn(message),
      time,
    });
    return { timers, queues: timers.queues, isRedisAway: () => timers.away };
  },
};

/** The names of the timers' engines. */
type TimersEngineName = 'embedded' | 'bullmq';

/** The compiler demands an entry for each name. */
const TIMERS_ENGINES: Readonly<Record<TimersEngineName, TimersEngine>> = { embedded, bullmq };

export function timersEngineOf(urls: ServerUrls): TimersEngine {
  return engineNamedBy(urls, TIMERS_ENGINES);
}
