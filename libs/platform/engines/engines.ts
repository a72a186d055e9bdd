import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { lockDataFolder } from '#adapters/embedded';
import { loadMasterKey, type Machine, type MasterKey, type OwnedLog, type SearchedForLog } from '#eventsourcing';
import type { Config } from '../config.js';
import type { Manifest } from '../folder/manifest.js';
import { closeFolder } from '../folder/close-to-others.js';
import { refuseBrokenOff, refuseUnfinished } from '../folder/unfinished-restore.js';
import { makeDataFolder } from '../folder/usable.js';
import { surveyFolder, surveyKeyStore } from '../folder/survey.js';
import { logWaits } from '../log/log-waits.js';
import type { OpenedState } from './opened-state.js';
import { folderIdentity } from './folder-identity.js';
import { stateEngineOf } from './state-engines.js';
import type { LogEvents } from './log-engine.js';
import { logEngineOf } from './log-engines.js';
import { whereIs } from './named-engine.js';
import type { LogLocation, ViewsLocation } from './locations.js';

/** The adapters behind the ports of one process. */
export interface Engines extends Omit<OpenedState, 'location'> {
  readonly log: OwnedLog;
  /** The manifest of the data folder; undefined for a new folder, and for processes that share their engines. */
  readonly manifest: Manifest | undefined;
  /** Identifies the place where the process runs (see `LeaseHolder`). */
  readonly place: string;
  /** The locations at which the projector's thread opens log and views. */
  readonly locations: { readonly log: LogLocation; readonly views: ViewsLocation };
}

type Closing = () => Promise<void> | void;

/**
 * Opens log, views, keys and stored answers: the servers in the configuration, otherwise files in the data folder, which then
 * belongs to this process. It loads the library of a server only if the server is configured.
 * @throws Error for people to read if the folder is taken, a server cannot be reached, or this build cannot use their data
 */
export async function openEngines(config: Config, logger: Logger, on: LogEvents, machine: Machine): Promise<Engines> {
  const inFolder = (name: string): string => join(config.dataDir, name);
  /** In closing order. */
  const closings: Closing[] = [];
  const close = async (): Promise<void> => {
    for (const each of closings) await each();
  };
  const logEngine = logEngineOf(config);
  const whereTheLogIs = whereIs(logEngine, config);
  const waits = { log: logger, time: machine.time };
  const search: SearchedForLog = {};
  await logWaits(waits, whereTheLogIs, () => logEngine.refuseOthers(config, logger));
  try {
    const manifest = await takeFolder(config, inFolder, closings, machine);
    closeToOthers(config, logger);
    const { location: views, ...kept } = await openKept(config, manifest, logger, machine, search);
    closings.unshift(() => kept.close());
    if (config.role === 'all' && !stateEngineOf(config).inFolder)
      await surveyKeyStore(config, manifest, kept.keyValues, machine);
    const { log, location } = await logWaits(waits, whereTheLogIs, () =>
      logEngine.open(config, kept.keyValues, on, logger, search),
    );
    closings.unshift(() => log.close());
    const shared = config.role === 'all' ? undefined : kept.shared;
    if (shared !== undefined) closings.unshift(() => shared.leases.close());
    return {
      ...kept,
      log,
      manifest,
      place: folderIdentity(config.dataDir),
      locations: { log: location, views },
      shared,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Makes the data folder, readable by its owner only. A process that does everything also locks it. Then it checks first that
 * the folder is whole, and writes nothing before that: it makes the lock file last.
 */
async function takeFolder(
  config: Config,
  inFolder: (name: string) => string,
  closings: Closing[],
  machine: Machine,
): Promise<Manifest | undefined> {
  const { role, dataDir } = config;
  refuseUnfinished(dataDir);
  if (role !== 'all') {
    refuseOwnFolder(inFolder('state.db'), dataDir);
    makeDataFolder(dataDir);
    return undefined;
  }
  if (!existsSync(inFolder('lock.db'))) await surveyFolder(config, machine);
  makeDataFolder(dataDir);
  const folder = lockDataFolder(dataDir);
  closings.unshift(() => folder.release());
  // A restore may have worked there until now, and have been killed.
  refuseBrokenOff(dataDir);
  return surveyFolder(config, machine);
}

/** Closes files to other users: restored backups or handmade folders may be readable for them. */
function closeToOthers({ dataDir }: Config, logger: Logger): void {
  const { closed, open } = closeFolder(dataDir);
  if (closed.length > 0)
    logger.warn(
      { files: closed },
      `other users could read files of the data folder ${dataDir}; now only its owner can`,
    );
  if (open.length > 0)
    logger.error(
      { files: open },
      `other users can read files of the data folder ${dataDir}, and their modes cannot be changed`,
    );
}

/** @throws Error if the folder has keys of its own, because this process uses the shared key store */
function refuseOwnFolder(file: string, dataDir: string): void {
  if (!existsSync(file)) return;
  throw new Error(
    `the data folder ${dataDir} holds the keys of another installation (state.db), and this process shares the key store of MONGODB_URL: name another DATA_DIR`,
  );
}

/**
 * The source of the master key. Processes that share their engines never make one.
 * @throws Error that names MASTER_KEY if they have none
 */
function masterKeyOf({ masterKey: fromEnvironment, dataDir, role }: Config, { randomness }: Machine): MasterKey {
  const file = join(dataDir, 'master.key');
  if (role !== 'all' && fromEnvironment === undefined && !existsSync(file)) {
    throw new Error(`MASTER_KEY must be set, or ${file} must hold the key of the other processes`);
  }
  return (mayMake) => loadMasterKey({ fromEnvironment, file, mustExist: !mayMake, randomness });
}

/** Tells, for people, what exists that was written with keys. It is asked before the keys are opened: then they must exist. */
async function writtenIn(
  config: Config,
  manifest: Manifest | undefined,
  logger: Logger,
  search: SearchedForLog,
): Promise<string | undefined> {
  if (manifest !== undefined) return `the data folder ${config.dataDir} belongs to an installation that has some`;
  return logEngineOf(config).existing(config, logger, search);
}

async function openKept(
  config: Config,
  manifest: Manifest | undefined,
  logger: Logger,
  machine: Machine,
  search: SearchedForLog,
): Promise<OpenedState> {
  const [logEngine, keptEngine] = [logEngineOf(config), stateEngineOf(config)];
  const master = masterKeyOf(config, machine);
  const waits = { log: logger, time: machine.time };
  const written = await logWaits(waits, whereIs(logEngine, config), () => writtenIn(config, manifest, logger, search));
  return logWaits(waits, whereIs(keptEngine, config), () =>
    keptEngine.open(config, { master, written }, logger, machine),
  );
}
