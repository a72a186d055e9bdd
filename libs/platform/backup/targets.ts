import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedLogReader } from '#adapters/embedded';
import { RestoredEmbeddedLog, RestoredEmbeddedState } from '#adapters/embedded/backup';
import { BackupRefused, type EventColumns, type StateLine } from '#backup';
import type { EventLogReader, LogOwner, Randomness } from '#eventsourcing';
import { syncFolder } from '#files';
import type { Position } from '#kernel';
import type { Config } from '../config.js';
import { logEngineOf } from '../engines/log-engines.js';
import { urlOf } from '../engines/named-engine.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { EVENTS_FILE, KEY_FILE, STATE_FILE } from '../folder/inspected-folder.js';
import { leftoversIn, UNFINISHED } from '../folder/unfinished-restore.js';
import { categories } from '../registry.js';

/** A log that gets the events of a backup. */
export interface LogTarget {
  readonly identity: string;
  readonly last: Position;
  add(events: readonly EventColumns[]): Promise<void>;
  /** Makes it durable. @returns opens it to be read */
  finish(): Promise<() => Promise<EventLogReader>>;
  discard(): Promise<void>;
  /** Gives its file its name. */
  name(): void;
}

/** A key store that gets the rows of a backup. */
export interface StateTarget {
  add(lines: readonly StateLine[]): Promise<void>;
  finish(): Promise<void>;
  discard(): Promise<void>;
  name(): void;
}

/**
 * Checks that a data folder has nothing but a master key, and what a restore has left.
 * @throws BackupRefused that names what is there
 */
export function refuseFilled(dataDir: string): void {
  const there = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const allowed = new Set([KEY_FILE, 'lock.db', 'lock.db-journal', ...leftoversIn(dataDir)]);
  const other = there.filter((name) => !allowed.has(name));
  if (other.length > 0) {
    throw new BackupRefused(
      `the data folder ${dataDir} (DATA_DIR) is not empty (${other.slice(0, 3).join(', ')}): a restore never writes over anything. ` +
        'Name another DATA_DIR, or move what is there away',
    );
  }
}

/**
 * Checks that the servers have nothing where a restore would write.
 * @throws BackupRefused that names what is there
 */
export async function refuseUsedServers(config: Config): Promise<void> {
  const [log, state] = [logEngineOf(config), stateEngineOf(config)];
  if (!log.inFolder) {
    const { RestoredEventStoreDbLog } = await import('#adapters/eventstoredb');
    const prefix = config.eventStorePrefix;
    if (!(await RestoredEventStoreDbLog.isEmpty({ url: urlOf(log, config), prefix, categories }))) {
      throw new BackupRefused(
        `the server of EVENTSTORE_URL has an event log with the prefix ${JSON.stringify(prefix)}: name another EVENTSTORE_PREFIX, or an empty server`,
      );
    }
  }
  if (!state.inFolder) {
    const { MongoDb, RestoredMongoDbState } = await import('#adapters/mongodb');
    const mongo = await MongoDb.connect(urlOf(state, config));
    try {
      if (await new RestoredMongoDbState(mongo).isEmpty()) return;
    } finally {
      await mongo.close();
    }
    throw new BackupRefused('the database of MONGODB_URL is not empty: name another one, or drop it');
  }
}

/** Begins the log. @param keepsPositions whether the events come from the same engine */
export async function openLogTarget(
  config: Config,
  owner: LogOwner,
  engine: string,
  randomness: Randomness,
): Promise<LogTarget> {
  const log = logEngineOf(config);
  if (log.inFolder) {
    const place = placeIn(config.dataDir, EVENTS_FILE);
    const identity = randomness.uuid();
    const target = RestoredEmbeddedLog.begin(place.unfinished, {
      identity,
      owner,
      keepsPositions: engine === 'embedded',
    });
    return {
      identity,
      get last() {
        return target.last;
      },
      add: (events) => target.add(events),
      async finish() {
        await target.finish();
        return () => Promise.resolve(EmbeddedLogReader.look(place.unfinished));
      },
      discard: () => target.discard(),
      name: place.name,
    };
  }
  const { EventStoreDbLogReader, RestoredEventStoreDbLog } = await import('#adapters/eventstoredb');
  const options = { url: urlOf(log, config), prefix: config.eventStorePrefix, categories };
  const target = await RestoredEventStoreDbLog.begin(options, owner);
  return {
    identity: target.identity,
    get last() {
      return target.last;
    },
    add: (events) => target.add(events),
    async finish() {
      await target.finish();
      return () => EventStoreDbLogReader.open(options);
    },
    discard: () => target.discard(),
    name: () => undefined,
  };
}

export async function openStateTarget(config: Config): Promise<StateTarget> {
  const state = stateEngineOf(config);
  if (state.inFolder) {
    const place = placeIn(config.dataDir, STATE_FILE);
    const target = RestoredEmbeddedState.begin(place.unfinished);
    return {
      add: (lines) => target.add(lines),
      finish: () => target.finish(),
      discard: () => target.discard(),
      name: place.name,
    };
  }
  const { MongoDb, RestoredMongoDbState } = await import('#adapters/mongodb');
  const mongo = await MongoDb.connect(urlOf(state, config));
  const target = new RestoredMongoDbState(mongo);
  return {
    add: (lines) => target.add(lines),
    async finish() {
      await target.finish();
      await mongo.close();
    },
    discard: () => mongo.close(),
    name: () => undefined,
  };
}

/** A file that gets its name when everything else is there. */
export function placeIn(dataDir: string, name: string): { readonly unfinished: string; readonly name: () => void } {
  const file = join(dataDir, name);
  const unfinished = `${file}${UNFINISHED}`;
  return {
    unfinished,
    name() {
      renameSync(unfinished, file);
      syncFolder(dataDir);
    },
  };
}
