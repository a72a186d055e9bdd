import type { ServerUrls } from '../config.js';
import { embeddedLog } from './embedded-log.js';
import { eventStoreDbLog } from './eventstoredb-log.js';
import type { LogEngine } from './log-engine.js';
import { engineNamedBy } from './named-engine.js';
import type { LogEngineName } from './locations.js';

/** The compiler demands an entry for each name. */
const LOG_ENGINES: Readonly<Record<LogEngineName, LogEngine>> = {
  embedded: embeddedLog,
  eventstoredb: eventStoreDbLog,
};

export function logEngineOf(urls: ServerUrls): LogEngine {
  return engineNamedBy(urls, LOG_ENGINES);
}
