import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { EmbeddedLog, EmbeddedState, EmbeddedViewReaders, lockDataFolder } from '#adapters/embedded';
import {
  emptyFinding,
  findingOf,
  loadMasterKey,
  readMark,
  type Facts,
  type Finding,
  type MasterKey,
  type OwnedLog,
} from '#eventsourcing';
import type { Config } from '../config.js';
import type { Manifest } from '../folder/manifest.js';
import { tighten } from '../folder/tighten.js';
import { makeDataFolder } from '../folder/usable.js';
import { surveyFolder, surveyKeyStore } from '../folder/survey.js';
import { hostsOf, tellingWaits } from '../log/waiting.js';
import { categories } from '../registry.js';
import type { Kept } from './kept.js';
import type { LogPlace, ViewsPlace } from './places.js';

/** What stands behind the ports of one process. */
export interface Engines extends Omit<Kept, 'place'> {
  readonly log: OwnedLog;
  /** What was found to belong to the data folder; undefined in a new one, and for processes that share their engines. */
  readonly manifest: Manifest | undefined;
  /** Where the projector's thread finds log and views. */
  readonly places: { readonly log: LogPlace; readonly views: ViewsPlace };
}

/** Who is told of the log. */
export interface LogEvents {
  /** Something was appended. */
  appended(): void;
  /** It could not be followed for a moment. */
  broken(): void;
  /** One of its streams was cut, or others wrote into it. @returns whether that is accepted */
  found(finding: Finding): boolean;
  /** It takes no more appends, for good. */
  failed(error: Error): void;
  /** The disk is full, in words; undefined: the log goes on. */
  hindered(reason: string | undefined): void;
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
  refuseTwoLogs(config, inFolder('events.db'));
  const eventStore = `EventStoreDB at ${hostsOf(config.eventStoreUrl ?? '')}`;
  await tellingWaits(logger, eventStore, () => refuseUnprefixed(config));
  try {
    const manifest = await takeFolder(config, inFolder, closings);
    closeToOthers(config, logger);
    const { place: views, ...kept } = await openKept(config, manifest, logger, inFolder);
    closings.unshift(() => kept.close());
    if (config.role === 'all' && config.mongoUrl !== undefined) await surveyKeyStore(config, manifest, kept.facts);
    const { log, place } = await tellingWaits(logger, eventStore, () =>
      openLog(config, kept.facts, inFolder, on, logger),
    );
    closings.unshift(() => log.close());
    const shared = config.role === 'all' ? undefined : kept.shared;
    if (shared !== undefined) closings.unshift(() => shared.leases.close());
    return { ...kept, log, manifest, places: { log: place, views }, shared, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The data folder, made for its owner only; of one process alone, where that does all. Then it is known to be whole before
 * anything is written to it: the file that it is locked by is made last.
 */
async function takeFolder(
  config: Config,
  inFolder: (name: string) => string,
  closings: Closing[],
): Promise<Manifest | undefined> {
  const { role, dataDir } = config;
  if (role !== 'all') {
    refuseOwnFolder(inFolder('state.db'), dataDir);
    makeDataFolder(dataDir);
    return undefined;
  }
  if (!existsSync(inFolder('lock.db'))) await surveyFolder(config);
  makeDataFolder(dataDir);
  const folder = lockDataFolder(dataDir);
  closings.unshift(() => folder.release());
  return surveyFolder(config);
}

/** Files of earlier builds, of a restored backup, and of folders that were made by hand may be open to others. */
function closeToOthers({ dataDir }: Config, logger: Logger): void {
  const { closed, open } = tighten(dataDir);
  if (closed.length > 0)
    logger.warn({ files: closed }, `others could read files of the data folder ${dataDir}; now its owner alone can`);
  if (open.length > 0)
    logger.error(
      { files: open },
      `others can read files of the data folder ${dataDir}, and their modes cannot be changed`,
    );
}

/** @throws Error where the folder is one of a process that keeps its keys in it */
function refuseOwnFolder(file: string, dataDir: string): void {
  if (!existsSync(file)) return;
  throw new Error(
    `the data folder ${dataDir} holds the keys of another installation (state.db), and this process shares the key store of MONGODB_URL: name another DATA_DIR`,
  );
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
async function writtenIn(
  config: Config,
  manifest: Manifest | undefined,
  inFolder: (name: string) => string,
): Promise<string | undefined> {
  if (manifest !== undefined) return `the data folder ${config.dataDir} belongs to an installation that has some`;
  const { eventStoreUrl: url, eventStorePrefix: prefix } = config;
  if (url === undefined)
    return existsSync(inFolder('events.db')) ? `the event log ${inFolder('events.db')} exists` : undefined;
  const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
  return (await EventStoreDbLogReader.exists({ url, prefix }))
    ? 'the server of EVENTSTORE_URL has an event log'
    : undefined;
}

/** @throws Error where the folder holds a log, and the configuration names another one */
function refuseTwoLogs({ eventStoreUrl, dataDir }: Config, file: string): void {
  if (eventStoreUrl === undefined || !existsSync(file)) return;
  throw new Error(
    `EVENTSTORE_URL is set, and the data folder ${dataDir} holds an event log of its own (events.db): ` +
      'unset EVENTSTORE_URL, or name another DATA_DIR. A log cannot be moved yet',
  );
}

/** @throws Error where the default prefix would begin a second log beside the one of an earlier build */
async function refuseUnprefixed({ eventStoreUrl: url, eventStorePrefixGiven }: Config): Promise<void> {
  if (url === undefined || eventStorePrefixGiven) return;
  const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
  if (!(await EventStoreDbLogReader.exists({ url, prefix: '' }))) return;
  throw new Error(
    'The server of EVENTSTORE_URL has an event log without a prefix, which was the default before: ' +
      'to open it set EVENTSTORE_PREFIX= (to nothing); to begin another beside it set EVENTSTORE_PREFIX=holdfast_',
  );
}

async function openLog(
  config: Config,
  facts: Facts,
  inFolder: (name: string) => string,
  on: LogEvents,
  logger: Logger,
): Promise<{ log: OwnedLog; place: LogPlace }> {
  const { eventStoreUrl: url, eventStorePrefix: prefix } = config;
  if (url !== undefined) {
    const { EventStoreDbLog, EventStoreDbLogReader } = await import('#adapters/eventstoredb');
    const mark = await readMark(facts);
    // Where a log was known, another one is made only for an operator who has given the old one up.
    const givenUp = mark === undefined || config.accept.has(emptyFinding(mark).code);
    const known = givenUp || (await EventStoreDbLogReader.exists({ url, prefix })) ? undefined : mark.identity;
    const log = await EventStoreDbLog.open({
      url,
      prefix,
      categories,
      identity: known,
      onBroken: () => on.broken(),
      onFound: ({ words, found, stream, at }) => on.found({ ...findingOf(words, found, stream), at }),
      onError: (error) => logger.warn({ err: error }, 'the event log could not be asked'),
      onNotice: (words) => logger.warn(words),
    });
    return { log, place: { engine: 'eventstoredb', url, prefix, identity: log.identity } };
  }
  const file = inFolder('events.db');
  const log = await EmbeddedLog.open({
    file,
    splitAppends: config.splitAppends,
    failpoint: config.failAfterAppend === undefined ? undefined : { afterAppend: config.failAfterAppend },
    onAppended: () => on.appended(),
    onFailed: (error) => on.failed(error),
    onHindered: (reason) => on.hindered(reason),
  });
  return { log, place: { engine: 'embedded', file } };
}

async function openKept(
  config: Config,
  manifest: Manifest | undefined,
  logger: Logger,
  inFolder: (name: string) => string,
): Promise<Kept> {
  const { mongoUrl: url } = config;
  const master = masterKeyOf(config);
  const eventStore = `EventStoreDB at ${hostsOf(config.eventStoreUrl ?? '')}`;
  const written = await tellingWaits(logger, eventStore, () => writtenIn(config, manifest, inFolder));
  if (url !== undefined) {
    const { openOnMongoDb } = await import('./mongodb.js');
    return tellingWaits(logger, `MongoDB at ${hostsOf(url)}`, () => openOnMongoDb(url, { master, written }, logger));
  }
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
