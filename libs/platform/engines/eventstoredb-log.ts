import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { findingOf, type SearchedForLog } from '#eventsourcing';
import { knownLog } from '#ownership';
import type { Config } from '../config.js';
import { categories } from '../registry.js';
import type { LogEngine } from './log-engine.js';
import { urlOf, whereIs } from './named-engine.js';

/** The log on EventStoreDB. Its library is loaded only with it. */
export const eventStoreDbLog: LogEngine = {
  inFolder: false,
  demo: false,
  server: ({ eventStoreUrl: url }) => (url === undefined ? undefined : { name: 'EventStoreDB', url }),
  async refuseOthers(config) {
    refuseEmbedded(config);
  },
  async existing(config, logger, search) {
    const { eventStorePrefix: prefix } = config;
    return (await exists(urlOf(this, config), prefix, logger, search))
      ? `the server of EVENTSTORE_URL has an event log with the prefix ${JSON.stringify(prefix)} (a new installation beside it needs ` +
          'another EVENTSTORE_PREFIX)'
      : undefined;
  },
  async open(config, keyValues, on, logger, search) {
    const { eventStorePrefix: prefix } = config;
    const url = urlOf(this, config);
    const { EventStoreDbLog, reasonOf } = await import('#adapters/eventstoredb');
    const log = await EventStoreDbLog.open({
      url,
      prefix,
      categories,
      ...(await knownLog(keyValues, config)),
      search,
      onBroken: () => on.broken(),
      onFound: ({ kind, words, found, stream, at }) => on.found({ ...findingOf(kind, words, found, stream), at }),
      onError: (error) =>
        logger.warn({ err: error }, `a request to ${whereIs(this, config)} has failed: ${reasonOf(error)}`),
      onNotice: (words) => logger.warn(words),
    });
    // The projector begins where this search ends.
    await log.head().catch(() => undefined);
    const { identity, searched, place } = log;
    return { log, location: { engine: 'eventstoredb', url, prefix, identity, searched, place } };
  },
};

async function exists(url: string, prefix: string, logger: Logger, search: SearchedForLog): Promise<boolean> {
  const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
  return EventStoreDbLogReader.exists({ url, prefix, categories, search, onNotice: (words) => logger.warn(words) });
}

/** @throws Error if the folder holds a log but the configuration names a server */
function refuseEmbedded({ dataDir }: Config): void {
  if (!existsSync(join(dataDir, 'events.db'))) return;
  throw new Error(
    `EVENTSTORE_URL is set, and the data folder ${dataDir} holds an event log of its own (events.db): ` +
      'unset EVENTSTORE_URL, or name another DATA_DIR. Backup and restore move a log (docs/operating.md)',
  );
}
