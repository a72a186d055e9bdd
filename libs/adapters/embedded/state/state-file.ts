import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OtherFormat } from '#eventsourcing/ports';
import { PUT_BACK, syncFolder, writeNamed } from '#files';
import { isDiskFull } from '../disk-full.js';
import { type ReadOnlyDatabase, openReadOnly } from '../open-read-only.js';
import { assertComplete, IncompleteDatabase } from '../complete.js';

/** "Hfst": marks the file as ours. */
const APPLICATION_ID = 0x48667374;

const TABLES = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE person_keys (
    id INTEGER PRIMARY KEY,
    person TEXT NOT NULL UNIQUE,
    wrapped BLOB NOT NULL,
    key INTEGER NOT NULL,
    destroyed INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE vault (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    live INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    key INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX vault_live ON vault (name) WHERE live = 1;
  CREATE TABLE idempotency_records (
    id INTEGER PRIMARY KEY,
    record TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    command_id TEXT NOT NULL,
    state TEXT NOT NULL,
    since INTEGER NOT NULL,
    answer BLOB,
    key INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`;

/** What each version added to the tables of the one before, from `FIRST` on. */
const ADDED = [
  // 6: whom a kept answer shows.
  `ALTER TABLE idempotency_records ADD COLUMN person TEXT;
   CREATE INDEX answers_of_person ON idempotency_records (person) WHERE person IS NOT NULL;`,
];
/** The first version that builds from 1.0.0-rc.1 on have written: `TABLES`. Older ones are refused. */
const FIRST = 5;
/** The version that this build writes. */
const VERSION = FIRST + ADDED.length;

/** Milliseconds that a start waits for a command that reads the file, such as `holdfast doctor`, which takes some. */
const READ_BY_OTHERS = 1_000;

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * Opens state.db. Makes a missing file, and returns it durable. Recovery may find a commit that the last process wrote but did
 * not sync, and a power cut could still remove it. So before it reads anything, it copies the journal into the file, which
 * syncs both. The caller must check first whether its keys open (`inspectState`).
 * @throws Error with a message for operators if the file is another program's or another build's, damaged or in use
 */
export function openStateFile(file: string): DatabaseSync {
  // SQLite gives its journal the file's own mode, and would make both readable for everyone.
  writeNamed(file, () => closeSync(openSync(file, 'a', 0o600)));
  let database: DatabaseSync | undefined;
  try {
    assertComplete(file);
    database = new DatabaseSync(file, { timeout: READ_BY_OTHERS });
    // This thread is the only owner: an exclusive lock allows it to truncate the journal at any time.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const version = identify(database, file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    // Deleted data is overwritten, and no temporary file ever holds a page.
    database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000');
    truncateJournal(database);
    if (version < VERSION) {
      const tables = version === 0 ? [TABLES, ...ADDED] : ADDED.slice(version - FIRST);
      database.exec(
        `BEGIN; ${tables.join('')} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}; COMMIT`,
      );
      truncateJournal(database);
      syncFolder(dirname(file));
    }
    return database;
  } catch (error) {
    database?.close();
    throw inWords(error, file);
  }
}

/** Makes a file for the state of a backup. It is one only when `finishStateFile` has returned: until then nothing is synced. */
export function beginStateFile(file: string): DatabaseSync {
  closeSync(openSync(file, 'wx', 0o600));
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec(
    `${TABLES} ${ADDED.join('')} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}; BEGIN`,
  );
  return database;
}

/** Makes the file whole and durable, without anything of rows that later ones have replaced, and closes it. */
export function finishStateFile(database: DatabaseSync, file: string): void {
  database.exec('COMMIT; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; VACUUM; PRAGMA journal_mode = WAL');
  database.close();
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
  syncFolder(dirname(file));
}

/** Copies the journal into the file, syncs it and truncates the journal, so that no old page stays in it. */
export function truncateJournal(database: DatabaseSync): void {
  const result = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (result?.['busy'] !== 0) throw new Error('the journal of the state database could not be truncated');
}

/** The file's version; 0 for an empty one. Writes nothing before it knows that the file is ours. */
function identify(database: DatabaseSync, file: string): number {
  const application = database.prepare('PRAGMA application_id').get()?.['application_id'];
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  const tables = Number(database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']);
  if (application === 0 && version === 0 && tables === 0) return 0;
  if (application !== APPLICATION_ID) throw new Error(`${file} is not a state database of Holdfast: ${PUT_BACK}`);
  if (version < FIRST || version > VERSION)
    throw new OtherFormat(file, version, 'delete the data folder, or name another one', `${FIRST} to ${VERSION}`);
  return version;
}

/** What state.db says before it is opened for writing. */
export interface StateInspection {
  /** The entries by name. */
  readonly keyValues: ReadonlyMap<string, string>;
  /** Whether it holds persons' keys or secrets. */
  readonly holdsSecrets: boolean;
  /** The given persons that it never had a key of, not even a destroyed one. */
  readonly unknown: readonly string[];
}

/**
 * Reads state.db and writes nothing. Undefined if there is none, or an empty one.
 * @param persons to look for
 * @throws Error with a message for operators if the file is another program's or another build's, damaged or in use
 */
export function inspectState(file: string, persons: readonly string[] = []): StateInspection | undefined {
  if (!existsSync(file)) return undefined;
  let looked: ReadOnlyDatabase | undefined;
  try {
    looked = openReadOnly(file);
    const version = identify(looked.database, file);
    return version === 0 ? undefined : look(looked.database, persons);
  } catch (error) {
    throw inWords(error, file);
  } finally {
    looked?.close();
  }
}

function look(database: DatabaseSync, persons: readonly string[]): StateInspection {
  const entries = database.prepare('SELECT name, value FROM facts').all();
  const holds = (table: string): boolean => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
  const known = database.prepare('SELECT 1 FROM person_keys WHERE person = ?');
  return {
    keyValues: new Map(entries.map(({ name, value }) => [String(name), String(value)])),
    holdsSecrets: holds('person_keys') || holds('vault'),
    unknown: persons.filter((person) => known.get(person) === undefined),
  };
}

/** The same error with the file's name and, where there is some, advice. */
function inWords(error: unknown, file: string): Error {
  const { message, errcode } = error as Error & { readonly errcode?: number };
  if (error instanceof IncompleteDatabase) {
    return new Error(`${file} is damaged or no SQLite file (${error.message}): ${PUT_BACK}`, { cause: error });
  }
  if (isDiskFull(error)) {
    return new Error(`there is no room for ${file} (${message}): make room on the disk, then start again`, {
      cause: error,
    });
  }
  switch (errcode) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return new Error(`${file} is damaged or no SQLite file: ${PUT_BACK}`, { cause: error });
    case SQLITE_BUSY:
      return new Error(`${file} is in use by another process`, { cause: error });
    case undefined:
      return error as Error;
    default:
      return new Error(
        `${file} cannot be opened (${message}): let this user write to it and to its folder, and check the disk`,
        { cause: error },
      );
  }
}
