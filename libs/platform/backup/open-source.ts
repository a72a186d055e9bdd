import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataFolder } from '#adapters/embedded';
import { CopiedEmbeddedLog, openCopiedState } from '#adapters/embedded/backup';
import { BackupRefused, type BackupSource, type CopiedLog, copyState, type StateNews } from '#backup';
import type { Position } from '#kernel';
import type { Config } from '../config.js';
import { gatewayOf } from '../engines/gateways.js';
import { logEngineOf } from '../engines/log-engines.js';
import { urlOf } from '../engines/named-engine.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { EVENTS_FILE, LEDGER_FILE, STATE_FILE } from '../folder/inspected-folder.js';
import { categories } from '../registry.js';
import { followedMongoDb } from './followed-mongodb.js';
import { linesAfter } from './ledger-of-folder.js';
import { WaitingLog, type Waits } from './waits.js';

/** Asks the service that runs on the data folder for what it keeps beside the log: only it can read that file. */
export type AskService = (follow: boolean, signal: AbortSignal) => AsyncIterable<StateNews>;

/** What a backup is taken of, and a function that closes it. */
export interface OpenedSource extends BackupSource {
  /** The installation that it belongs to. */
  readonly installation: string;
  close(): Promise<void>;
}

const CANNOT_FOLLOW = '--follow needs a running service: start it, or leave --follow out, and repeat the backup';

type Closing = () => Promise<void> | void;

/**
 * Opens an installation to copy it: the files of the data folder, of a running service or a stopped one, or the servers.
 * @throws Error for people to read
 */
export async function openSource(config: Config, ask: AskService, waits: Waits): Promise<OpenedSource> {
  const closings: Closing[] = [];
  const close = async (): Promise<void> => {
    for (const each of closings) await each();
  };
  try {
    const isRunning = takeStopped(config, closings);
    const log = new WaitingLog(await openLog(config, isRunning), waits);
    closings.unshift(() => log.close());
    const owner = await log.owner();
    if (owner === undefined) throw new BackupRefused('the event log belongs to nobody yet: start the service once');
    const state = await openState(config, isRunning, closings);
    return {
      installation: owner.installation,
      log,
      state: (follow, signal) =>
        state === undefined ? ask(follow, signal) : state(() => log.head(), follow, { ...waits, signal }),
      ledger: (after) =>
        gatewayOf(config).inFolder ? linesAfter(join(config.dataDir, LEDGER_FILE), after) : { lines: [], end: 0 },
      erasuresFile: config.erasuresFile,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Takes the data folder of a stopped service, so that none starts meanwhile. @returns whether one runs */
function takeStopped(config: Config, closings: Closing[]): boolean {
  const { dataDir } = config;
  const names = [
    ...(logEngineOf(config).inFolder ? [EVENTS_FILE] : []),
    ...(stateEngineOf(config).inFolder ? [STATE_FILE] : []),
  ];
  if (names.length === 0) return false;
  for (const name of names) {
    if (!existsSync(join(dataDir, name)))
      throw new BackupRefused(`${join(dataDir, name)} is missing: set DATA_DIR to the data folder of the service`);
  }
  try {
    const folder = lockDataFolder(dataDir);
    closings.push(() => folder.release());
    return false;
  } catch (error) {
    if ((error as Error).message.startsWith('another Holdfast runs')) return true;
    throw error;
  }
}

async function openLog(config: Config, isRunning: boolean): Promise<CopiedLog> {
  const engine = logEngineOf(config);
  if (engine.inFolder) return CopiedEmbeddedLog.open(join(config.dataDir, EVENTS_FILE), isRunning);
  const { CopiedEventStoreDbLog } = await import('#adapters/eventstoredb');
  return CopiedEventStoreDbLog.open({ url: urlOf(engine, config), prefix: config.eventStorePrefix, categories });
}

/** What is kept beside the log; `follow`: and then each change as it comes. */
type State = (head: () => Promise<Position>, follow: boolean, waits: Waits) => AsyncIterable<StateNews>;

/** Reads what is kept beside the log; undefined if only the running service can. */
async function openState(config: Config, isRunning: boolean, closings: Closing[]): Promise<State | undefined> {
  const engine = stateEngineOf(config);
  if (!engine.inFolder) {
    const { MongoDb, MongoDbCopiedRows } = await import('#adapters/mongodb');
    const mongo = await MongoDb.connect(urlOf(engine, config));
    closings.unshift(() => mongo.close());
    return (head, follow, waits) =>
      follow
        ? followedMongoDb(mongo, head, waits)
        : copyState(new MongoDbCopiedRows(mongo), head, { follow, ...waits });
  }
  if (isRunning) return undefined;
  const rows = openCopiedState(join(config.dataDir, STATE_FILE));
  closings.unshift(() => rows.close());
  return (head, follow, waits) => {
    if (follow) throw new BackupRefused(CANNOT_FOLLOW);
    return copyState(rows, head, { follow, ...waits });
  };
}
