import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { thisMachine } from '#adapters/machine';
import { LogUnusable, OtherFormat } from '#eventsourcing/ports';
import { PUT_BACK, syncFolder, withFile } from '#files';
import { isDiskFull } from '../disk-full.js';
import { assertComplete } from '../complete.js';

/** `HFEL`, in the file's header: this is a Holdfast event log. */
const APPLICATION_ID = 0x4846454c;
/**
 * Raise it with every change of the tables, and read the older ones from 4 on, too. 1 to 3: builds before 1.0.0-rc.1. Events have
 * versions of their own.
 */
const FORMAT = 4;

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
// Offsets in SQLite's header, big-endian (its file format, section 1.3).
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

// Data comes last, so that a long text is never in the way of the columns before it.
const TABLES = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    type TEXT NOT NULL,
    time INTEGER NOT NULL,
    command_id TEXT NOT NULL,
    correlation TEXT NOT NULL,
    causation TEXT,
    actor TEXT NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE TABLE meta (identity TEXT NOT NULL, installation TEXT, keys TEXT, ledger TEXT) STRICT;
`;
const INDEX = 'CREATE UNIQUE INDEX events_by_stream ON events (stream, revision)';

const ANOTHER_FOLDER = 'delete the data folder, or name another one';

/** The common settings of the writer's connections and the checkpointer's. */
export function openConnection(file: string, timeout: number): DatabaseSync {
  const db = new DatabaseSync(file, { timeout });
  // FULL: every commit syncs the WAL before any reader sees it. On macOS only fullfsync reaches the disk itself. Checkpoints
  // are never part of a commit; they have their own thread. The cache has 8 MB: pages that are used again while the
  // processor still has them cost less than new ones, and what a larger cache would keep is in the system's memory anyway.
  db.exec(
    'PRAGMA synchronous=FULL; PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-8192',
  );
  return db;
}

/**
 * Opens the log's file for writing and makes a missing one. When it returns, everything in the file is on disk. No other
 * connection of this process may have the file open: closing a file drops the process's locks on it.
 * @throws LogUnusable
 */
export function openLogFile(file: string, timeout: number): DatabaseSync {
  if (!existsSync(file)) create(file);
  checkHeader(file);
  try {
    assertComplete(file);
  } catch (error) {
    throw damaged(file, error);
  }
  makePrivate(file);
  syncAgain(`${file}-wal`);
  syncAgain(file, false);
  syncFolder(dirname(file));
  let db: DatabaseSync | undefined;
  try {
    db = openConnection(file, timeout);
    const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
    if (busy !== 0) throw new LogUnusable(`${file} is in use by another program: stop it, then start again`);
    checkContent(db, file);
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof LogUnusable ? error : damaged(file, error);
  }
}

/**
 * Opens the file again after the disk was full, beside connections of other threads. It syncs what was committed and copies
 * it into the file, which proves that it is there and that there is room.
 * @throws Error of SQLite
 */
export function reopenLogFile(file: string, timeout: number): DatabaseSync {
  const db = openConnection(file, timeout);
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    checkContent(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Redemption codes are money: only the owner may read the file, even in a folder that others can read.
 */
function makePrivate(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, 0o600);
}

/** The error for a file that SQLite cannot read. */
export function damaged(file: string, cause: unknown): LogUnusable {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (isDiskFull(cause)) {
    return new LogUnusable(
      `there is no room to open the event log ${file} (${reason}): make room on the disk, then start again`,
      {
        cause,
      },
    );
  }
  return new LogUnusable(
    `the event log ${file} is damaged or cannot be read (${reason}): keep a copy of it, and ${PUT_BACK}, or restore the data folder from a backup`,
    { cause },
  );
}

/** Makes the file under another name and renames it, so that a crash never leaves half a log. */
function create(file: string): void {
  if (existsSync(`${file}-wal`)) {
    throw new LogUnusable(
      `${file} is missing, but ${file}-wal is there: the log was lost or moved without its WAL: ${PUT_BACK}`,
    );
  }
  const unfinished = `${file}.new`;
  try {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true });
    // SQLite gives its WAL the file's own mode.
    closeSync(openSync(unfinished, 'a', 0o600));
    const db = openConnection(unfinished, 0);
    db.exec(`BEGIN; ${TABLES}; ${INDEX}; PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${FORMAT}`);
    db.prepare('INSERT INTO meta (identity) VALUES (?)').run(thisMachine.randomness.uuid());
    db.exec('COMMIT; PRAGMA journal_mode=WAL');
    db.close();
    renameSync(unfinished, file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LogUnusable(`the event log ${file} cannot be created (${reason}): check its folder and the free space`, {
      cause,
    });
  }
}

/**
 * Makes a file for the events of a backup. It is a log only when `finishLogFile` has returned: until then nothing is synced, and the
 * index is missing.
 */
export function beginLogFile(file: string): DatabaseSync {
  closeSync(openSync(file, 'wx', 0o600));
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY');
  db.exec(`BEGIN; ${TABLES}; PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${FORMAT}`);
  return db;
}

/** Makes a log of the file, durable, and closes it. */
export function finishLogFile(db: DatabaseSync, file: string): void {
  db.exec(`${INDEX}; COMMIT; PRAGMA journal_mode=WAL`);
  db.close();
  syncAgain(file, false);
}

export function checkHeader(file: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const read = withFile(file, (descriptor) => readSync(descriptor, header, 0, HEADER_BYTES, 0));
  if (read < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new LogUnusable(
      `${file} is not an SQLite database, or its beginning is damaged: ${PUT_BACK}, or name another data folder. It is left as it is`,
    );
  }
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) {
    throw new LogUnusable(`${file} is the database of another program: name another data folder`);
  }
  const format = header.readUInt32BE(USER_VERSION_AT);
  if (format < 1) throw damaged(file, new Error(`it names the format ${format}`));
  if (format !== FORMAT) throw new LogUnusable(new OtherFormat(file, format, ANOTHER_FOLDER, FORMAT).message);
}

/**
 * Makes a file's content durable. After a failed sync the system may call pages clean that never reached the disk, and the
 * next sync would succeed for them; `rewrite` therefore writes the bytes again first. That matters for the WAL, from which
 * SQLite reads commits by their checksums alone.
 */
function syncAgain(file: string, rewrite = true): void {
  if (!existsSync(file)) return;
  const fd = openSync(file, 'r+');
  try {
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    const size = rewrite ? fstatSync(fd).size : 0;
    for (let at = 0; at < size;) {
      const read = readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) break;
      at += writeSync(fd, chunk, 0, read, at);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Looks where damage shows most: the schema, the last event and its place in the index. SQLite itself has checked that the
 * file has all its pages.
 */
export function checkContent(db: DatabaseSync, file: string): void {
  const identity = db.prepare('SELECT identity FROM meta').all();
  if (identity.length !== 1) throw damaged(file, new Error('its identity is missing'));
  const last = db.prepare('SELECT * FROM events ORDER BY position DESC LIMIT 1').get();
  if (last === undefined) return;
  const found = db
    .prepare('SELECT position FROM events INDEXED BY events_by_stream WHERE stream = ? ORDER BY revision DESC LIMIT 1')
    .get(String(last['stream'])) as { position: number } | undefined;
  if (found?.position !== last['position']) throw damaged(file, new Error('its index does not fit its events'));
  dataOf(Number(last['position']), String(last['data']));
}

/**
 * The data of an event, from its row.
 * @throws Error that names the event but none of its content, because everyone can read the health report
 */
export function dataOf(position: number, text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new Error(`the event at position ${position} is not JSON`);
  }
}
