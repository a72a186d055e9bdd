import { join } from 'node:path';
import type { Logger } from 'pino';
import { EmbeddedSnapshotStore, EmbeddedState, EmbeddedViewReaders, seenByFiles } from '#adapters/embedded';
import type { Machine, MasterKey } from '#eventsourcing';
import type { Config, ServerUrls } from '../config.js';
import { views } from '../registry.js';
import type { OpenedState } from './opened-state.js';
import { engineNamedBy, urlOf, type NamedEngine } from './named-engine.js';
import type { ViewsEngineName } from './locations.js';

/** The source of the master key, and a description of what was written with keys before, if anything was. */
export interface KeysBefore {
  readonly master: MasterKey;
  readonly written: string | undefined;
}

/** An engine for views, keys, vault and stored answers. */
export interface StateEngine extends NamedEngine {
  /** @throws Error for people to read if it cannot be opened, or if this build cannot use its data */
  open(config: Config, keys: KeysBefore, logger: Logger, machine: Machine): Promise<OpenedState>;
}

/** Files of the data folder. */
const embedded: StateEngine = {
  inFolder: true,
  server: () => undefined,
  async open({ dataDir }, { master, written }, _logger, machine) {
    const state = await EmbeddedState.open(join(dataDir, 'state.db'), master, written, machine);
    const { liveKeys, keyring, keys, vault, records, keyValues, copied, sealed, failed } = state;
    const folder = join(dataDir, 'views');
    const readers = EmbeddedViewReaders.open(folder, machine);
    return {
      views: readers,
      seenByViews: async (log) => seenByFiles(folder, views, log),
      liveKeys,
      keyring,
      sealed,
      keys,
      vault,
      records,
      keyValues,
      copied,
      snapshots: new EmbeddedSnapshotStore(join(folder, 'snapshots')),
      location: { engine: 'embedded', folder },
      shared: undefined,
      failed,
      async close() {
        await readers.close();
        await state.close();
      },
    };
  },
};

/** A MongoDB database. Its library is loaded only with it. */
const mongodb: StateEngine = {
  inFolder: false,
  server: ({ mongoUrl: url }) => (url === undefined ? undefined : { name: 'MongoDB', url }),
  async open(config, keys, logger, machine) {
    const { openOnMongoDb } = await import('./mongodb.js');
    return openOnMongoDb(urlOf(this, config), keys, logger, machine);
  },
};

/** The compiler demands an entry for each name. */
const KEPT_ENGINES: Readonly<Record<ViewsEngineName, StateEngine>> = { embedded, mongodb };

export function stateEngineOf(urls: ServerUrls): StateEngine {
  return engineNamedBy(urls, KEPT_ENGINES);
}
