import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { EmbeddedLog, EmbeddedState, EmbeddedViewReaders, lockDataFolder } from '#adapters/embedded';
import { loadMasterKey, type EventLog, type MasterKey } from '#eventsourcing';
import type { Config } from '../config.js';
import type { Kept } from './kept.js';
import type { LogPlace, ViewsPlace } from './places.js';

/** What stands behind the ports of one process. */
export interface Engines extends Omit<Kept, 'place'> {
  readonly log: EventLog;
  /** Where the projector's thread finds log and views. */
  readonly places: { readonly log: LogPlace; readonly views: ViewsPlace };
}

/** Who is told of the log. */
export interface LogEvents {
  /** Something was appended. */
  appended(): void;
  /** It takes no more appends, for good. */
  failed(error: Error): void;
}

type Closing = () => Promise<void> | void;

/**
 * Opens what the configuration names: the one place that picks adapters for log, views, keys and kept answers. What it does
 * not name is embedded, in the data folder, which then belongs to this process. The libraries of servers are loaded with
 * them alone: a start without them should not wait for what it does not use.
 * @throws Error in words when the folder is taken, a server cannot be reached, or one of them holds what this build cannot use
 */
export async function openEngines(config: Config, logger: Logger, on: LogEvents): Promise<Engines> {
  const inFolder = (name: string): string => join(config.dataDir, name);
  /** In the order in which they are closed. */
  const closings: Closing[] = [];
  const close = async (): Promise<void> => {
    for (const each of closings) await each();
  };
  try {
    closings.unshift(takeFolder(config));
    const { place: views, ...kept } = await openKept(config, logger, inFolder);
    closings.unshift(() => kept.close());
    const { log, place } = await openLog(config, inFolder, on);
    closings.unshift(() => log.close());
    const shared = config.role === 'all' ? undefined : kept.shared;
    if (shared !== undefined) closings.unshift(() => shared.leases.close());
    return { ...kept, log, places: { log: place, views }, shared, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The data folder, made for its owner only; of one process alone, where that does all. Returns how to give it back. */
function takeFolder({ role, dataDir }: Config): Closing {
  if (role === 'all') {
    const folder = lockDataFolder(dataDir);
    return () => folder.release();
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return () => undefined;
}

/** Where the master key is. Processes that share their engines make none: @throws Error naming MASTER_KEY */
function masterKeyOf({ masterKey: fromEnvironment, dataDir, role }: Config): MasterKey {
  const file = join(dataDir, 'master.key');
  if (role !== 'all' && fromEnvironment === undefined && !existsSync(file)) {
    throw new Error(`MASTER_KEY must be set, or ${file} be the one that the other processes use`);
  }
  return (mayMake) => loadMasterKey({ fromEnvironment, file, mustExist: !mayMake });
}

/** What there is already that was written under keys, in words. Asked before the keys: whoever made the log had them first. */
async function writtenIn(config: Config, inFolder: (name: string) => string): Promise<string | undefined> {
  const { eventStoreUrl: url, eventStorePrefix: prefix } = config;
  if (url === undefined)
    return existsSync(inFolder('events.db')) ? `the event log ${inFolder('events.db')} exists` : undefined;
  const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
  return (await EventStoreDbLogReader.exists({ url, prefix }))
    ? 'the server of EVENTSTORE_URL has an event log'
    : undefined;
}

async function openLog(
  config: Config,
  inFolder: (name: string) => string,
  on: LogEvents,
): Promise<{ log: EventLog; place: LogPlace }> {
  const { eventStoreUrl: url, eventStorePrefix: prefix } = config;
  if (url !== undefined) {
    const { EventStoreDbLog } = await import('#adapters/eventstoredb');
    return { log: await EventStoreDbLog.open({ url, prefix }), place: { engine: 'eventstoredb', url, prefix } };
  }
  const file = inFolder('events.db');
  const log = await EmbeddedLog.open({
    file,
    splitAppends: config.splitAppends,
    failpoint: config.failAfterAppend === undefined ? undefined : { afterAppend: config.failAfterAppend },
    onAppended: () => on.appended(),
    onFailed: (error) => on.failed(error),
  });
  return { log, place: { engine: 'embedded', file } };
}

async function openKept(config: Config, logger: Logger, inFolder: (name: string) => string): Promise<Kept> {
  const { mongoUrl: url } = config;
  const master = masterKeyOf(config);
  const written = await writtenIn(config, inFolder);
  if (url !== undefined) return (await import('./mongodb.js')).openOnMongoDb(url, { master, written }, logger);
  const state = await EmbeddedState.open(inFolder('state.db'), master, written);
  const { keyring, keys, vault, records, facts } = state;
  const folder = inFolder('views');
  const views = EmbeddedViewReaders.open(folder);
  return {
    views,
    keyring,
    keys,
    vault,
    records,
    facts,
    place: { engine: 'embedded', folder },
    shared: undefined,
    async close() {
      await views.close();
      await state.close();
    },
  };
}
