import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDiskFull, lockDataFolder } from '#adapters/embedded';
import { entryOf, inspectLedger } from '#adapters/sandbox-gateway';
import { BackupFolder, BackupRefused, FileSeal, logOf, readBackupKey, ReadBackup } from '#backup';
import { type Erasures, erasuresText, firstLacking, readErasures } from '#erasures-file';
import {
  type EventLogReader,
  type Keyring,
  KEYS_ENTRY,
  keyIn,
  type Machine,
  type Randomness,
  unwrapKeys,
  writeSecretFile,
} from '#eventsourcing';
import { readWithin } from '#files';
import { type Instant, isoTime, parsedJson } from '#kernel';
import { FILES } from '#kernel/bounds';
import { INSTALLATION_ENTRY, LEDGER_ENTRY } from '#ownership';
import { isKnownToLog } from '#purchasing';
import type { Config } from '../config.js';
import { gatewayOf } from '../engines/gateways.js';
import { logEngineOf } from '../engines/log-engines.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { placeOf } from '../folder/copied.js';
import { EVENTS_FILE, KEY_FILE, LEDGER_FILE, STATE_FILE } from '../folder/inspected-folder.js';
import { writeManifest } from '../folder/manifest.js';
import {
  beginNaming,
  beginRestore,
  endRestore,
  refuseRestoring,
  removeLeftovers,
} from '../folder/unfinished-restore.js';
import { makeDataFolder } from '../folder/usable.js';
import { RestoredRows } from './restored-entries.js';
import { openLogTarget, openStateTarget, placeIn, refuseFilled, refuseUsedServers } from './targets.js';
import { type UnknownSales, unknownSales } from './unknown-sales.js';

/** What an operator asks for. */
export interface RestoreOrder {
  readonly backup: string;
  /** Which copy: its name, or a moment before which it was taken; the newest if absent. */
  readonly at?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly masterKeyFile?: string | undefined;
  /** The file of erasures; `none`: nobody was ever erased; `backup`: the copy in the backup. */
  readonly erasures?: string | undefined;
}

/** How far a restore is. */
export interface RestoreProgress {
  readonly what: 'checks' | 'log' | 'state';
  readonly done: number;
  readonly of: number | undefined;
}

/** Who waits for a restore. */
export interface RestoreHearer {
  readonly signal: AbortSignal;
  readonly progress: (progress: RestoreProgress) => void;
}

/** What was restored. */
export interface RestoredBackup extends UnknownSales {
  readonly installation: string;
  readonly at: Instant;
  readonly events: number;
  /** The time of the last event; undefined for an empty log. */
  readonly last: Instant | undefined;
  /** The erasures that the first start applies, in all. */
  readonly erasures: number;
  readonly answersDropped: number;
}

/** An operator says that nobody was ever erased; that the file is lost, and the copy of the backup has to do. */
const [NONE, OF_BACKUP] = ['none', 'backup'];

/**
 * Writes a copy of a backup to where the settings say, which must be empty. Everything is checked before anything is written.
 * The data folder is its own from the first look to the end: a service that starts on it meanwhile is refused.
 * @throws Error for people to read; nothing that a service accepts is there then
 */
export async function restore(
  config: Config,
  order: RestoreOrder,
  hearer: RestoreHearer,
  machine: Machine,
): Promise<RestoredBackup> {
  const { dataDir } = config;
  refuseRestoring(dataDir);
  refuseFilled(dataDir);
  makeDataFolder(dataDir);
  const taken = lockDataFolder(dataDir);
  try {
    refuseFilled(dataDir);
    try {
      beginRestore(dataDir, { backup: resolve(order.backup), at: order.at, began: isoTime(machine.time.wall()) });
      return await restoreIntoLocked(config, order, hearer, machine);
    } catch (error) {
      removeLeftovers(dataDir);
      throw isFull(error) ? diskFull(dataDir, error) : error;
    }
  } finally {
    taken.release();
  }
}

/** Whether there was no room. A file that is named in the error needs no other words. */
function isFull(error: unknown): boolean {
  return isDiskFull(error) || ['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code));
}

function diskFull(dataDir: string, cause: unknown): BackupRefused {
  return new BackupRefused(
    `the disk of ${dataDir} has no room for the backup: make room there, then restore again. Nothing of it stays`,
    { cause },
  );
}

async function restoreIntoLocked(
  config: Config,
  order: RestoreOrder,
  { progress, signal }: RestoreHearer,
  machine: Machine,
): Promise<RestoredBackup> {
  const key = order.keyFile === undefined ? undefined : readBackupKey(order.keyFile);
  const folder = new BackupFolder(order.backup, FileSeal.with(key, machine.randomness));
  await refuseUsedServers(config);
  const backup = await ReadBackup.open(folder, order.at, (done, of) => {
    signal.throwIfAborted();
    progress({ what: 'checks', done, of });
  });
  const erasures = erasuresFor(config, order, backup);
  const lacking = lackingIn(config, erasures);
  const entries = await entriesIn(backup);
  const { keyring, masterKey } = openKeysOf(config, order, entries, machine.randomness);
  const telling = (step: RestoreProgress): void => {
    signal.throwIfAborted();
    progress(step);
  };
  const writing = { config, backup, keyring, entries, progress: telling, machine };
  const { rows, lines, log, finished } = await write(writing);
  try {
    const ledger = gatewayOf(config).inFolder ? await keepKnown(config.dataDir, lines, entries, log) : undefined;
    const sales = await unknownSales(
      config,
      { log, keyring, keyValues: held(entries), young: rows.young, installation: backup.manifest.installation },
      machine,
    );
    await log.close();
    refuseFilled(config.dataDir);
    beginNaming(config.dataDir);
    finished();
    ledger?.name();
    if (masterKey !== undefined) writeSecretFile(join(config.dataDir, KEY_FILE), `${masterKey.toString('hex')}\n`);
    const { starts } = rows;
    withErasures(config, lacking, () => {
      nameFolder(config, backup, { ledger: ledger?.identity, starts: Math.max(1, starts), log: log.identity });
      endRestore(config.dataDir);
    });
    return {
      installation: backup.manifest.installation,
      at: backup.copy.at,
      events: backup.events,
      last: backup.end?.time,
      erasures: erasures?.lines.length ?? 0,
      answersDropped: rows.young.length,
      ...sales,
    };
  } finally {
    await log.close();
  }
}

interface Writing {
  readonly config: Config;
  readonly backup: ReadBackup;
  readonly keyring: Keyring;
  readonly entries: ReadonlyMap<string, string>;
  readonly progress: (progress: RestoreProgress) => void;
  readonly machine: Machine;
}

interface Written {
  readonly rows: RestoredRows;
  /** The lines of the ledger of a sandbox gateway. */
  readonly lines: readonly string[];
  readonly log: EventLogReader;
  /** Gives the files their names. */
  readonly finished: () => void;
}

async function write({ config, backup, keyring, progress, machine }: Writing): Promise<Written> {
  const { manifest, copy, end } = backup;
  const owner = {
    installation: manifest.installation,
    keys: keyring.hash('log-owner', 'holdfast'),
    ...(copy.ledger !== null && { ledger: copy.ledger }),
  };
  const logTarget = await openLogTarget(config, owner, copy.engine, machine.randomness);
  const open = await openStateTarget(config).catch(async (error: unknown) => {
    await logTarget.discard();
    throw error;
  });
  try {
    let done = 0;
    let last: { readonly stream: string; readonly revision: number; readonly id: string } | undefined;
    for await (const events of backup.eventParts()) {
      await logTarget.add(events);
      last = events.at(-1);
      done += events.length;
      progress({ what: 'log', done, of: backup.events });
    }
    const here = logEngineOf(config).inFolder ? 'embedded' : 'eventstoredb';
    const rows = new RestoredRows(end, here !== copy.engine);
    const lines: string[] = [];
    done = 0;
    for await (const part of backup.keptParts()) {
      for (const line of part) if (line.kind === 'ledger') lines.push(line.text);
      await open.add(rows.of(part));
      done += part.length;
      progress({ what: 'state', done, of: undefined });
    }
    const { identity, last: position } = logTarget;
    const { stream, revision, id } = last ?? { stream: '', revision: -1, id: '' };
    await open.add(rows.entries({ identity, position, stream, revision, id }));
    const openLog = await logTarget.finish();
    await open.finish();
    const log = await openLog();
    return {
      rows,
      lines,
      log,
      finished() {
        logTarget.name();
        open.name();
      },
    };
  } catch (error) {
    await logTarget.discard();
    await open.discard();
    throw error;
  }
}

/** The file of erasures that a restore needs. @throws BackupRefused that names it */
function erasuresFor(
  { erasuresFile }: Config,
  { erasures: named }: RestoreOrder,
  backup: ReadBackup,
): Erasures | undefined {
  const { erasures: known, unread } = backup.known;
  if (unread !== undefined && (named === OF_BACKUP || named === NONE)) {
    throw new BackupRefused(
      `--erasures ${named}: what the backup knows of erasures cannot be read (${unread.message}). Name the file of erasures`,
      { cause: unread },
    );
  }
  if (named === OF_BACKUP) return known;
  if (named === NONE) {
    if ((known?.lines.length ?? 0) === 0) return undefined;
    throw new BackupRefused(
      `--erasures none: the backup itself knows ${known?.lines.length} erasures. Name the file of erasures`,
    );
  }
  const file = named ?? erasuresFile;
  const found = readErasures(file);
  if (found === undefined) {
    throw new BackupRefused(
      `${file}, the file of erasures, is missing: without it, persons who were erased after this backup would come back. ` +
        'Name it with --erasures <file>, or set ERASURES_FILE; if nobody was ever erased, give --erasures none; if the file is lost, --erasures backup takes what the backup has of it',
    );
  }
  if (found.installation !== backup.manifest.installation) {
    throw new BackupRefused(
      `${file} is the file of erasures of another installation (${found.installation}), and the backup is of ${backup.manifest.installation}`,
    );
  }
  const lacking = known && firstLacking(found, known);
  if (lacking !== undefined) {
    throw new BackupRefused(
      `${file} lacks the erasure ${lacking.number} of ${lacking.at}, which the backup has: name the newest file of erasures`,
    );
  }
  return found;
}

/**
 * The erasures, if the file where each start looks for them lacks some.
 * @throws BackupRefused if it has others
 */
function lackingIn({ erasuresFile }: Config, erasures: Erasures | undefined): Erasures | undefined {
  if (erasures === undefined) return undefined;
  const there = readErasures(erasuresFile);
  if (there !== undefined && firstLacking(there, erasures) === undefined) return undefined;
  if (there !== undefined && firstLacking(erasures, there) !== undefined) {
    throw new BackupRefused(
      `${erasuresFile} (ERASURES_FILE) has other erasures than the file of --erasures: move it away`,
    );
  }
  return erasures;
}

/** Puts the file where each start looks for it, and finishes the restore. If that fails, a new file is removed again: alone it would stop a start. */
function withErasures({ erasuresFile }: Config, erasures: Erasures | undefined, finish: () => void): void {
  if (erasures === undefined) {
    finish();
    return;
  }
  const isNew = !existsSync(erasuresFile);
  try {
    makeDataFolder(dirname(resolve(erasuresFile)));
    writeSecretFile(erasuresFile, erasuresText(erasures));
    finish();
  } catch (error) {
    if (isNew) rmSync(erasuresFile, { force: true });
    throw error;
  }
}

/** The last text of each entry. */
async function entriesIn(backup: ReadBackup): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>();
  for await (const part of backup.keptParts())
    for (const line of part) if (line.kind === 'entry') entries.set(line.name, line.text);
  refuseMixed(backup, entries);
  return entries;
}

/** Keys of another installation, or of another log of it, do not open the log. @throws BackupRefused that names both */
function refuseMixed({ manifest, copy }: ReadBackup, entries: ReadonlyMap<string, string>): void {
  const other = 'take a new backup, with the address of the service that runs on its DATA_DIR';
  const installation = entries.get(INSTALLATION_ENTRY);
  if (installation !== undefined && installation !== manifest.installation) {
    throw new BackupRefused(
      `the copy ${copy.name} has the keys of another installation (${installation}) than its log (${manifest.installation}): ${other}`,
    );
  }
  const log = logOf(entries);
  if (log !== undefined && log !== copy.log)
    throw new BackupRefused(
      `the copy ${copy.name} has the keys of another log (${log}) than its own (${copy.log}): ${other}`,
    );
}

/**
 * The keys in the backup, opened with the master key.
 * @returns also the master key, if it came in a file and must be put into the data folder
 * @throws Error that says which key is missing or wrong
 */
function openKeysOf(
  config: Config,
  { masterKeyFile, backup }: RestoreOrder,
  entries: ReadonlyMap<string, string>,
  randomness: Randomness,
): { readonly keyring: Keyring; readonly masterKey: Buffer | undefined } {
  const wrapped = entries.get(KEYS_ENTRY);
  if (wrapped === undefined || !entries.has(INSTALLATION_ENTRY))
    throw new BackupRefused(`${backup} has no keys: this backup is not whole`);
  const inFolder = join(config.dataDir, KEY_FILE);
  const file = masterKeyFile ?? (existsSync(inFolder) ? inFolder : undefined);
  if (file === undefined && config.masterKey === undefined) {
    throw new BackupRefused(
      'the master key of the installation is needed: set MASTER_KEY, or name the file that holds it with --master-key-file',
    );
  }
  const text =
    file === undefined ? (config.masterKey ?? '') : (readWithin(file, FILES.masterKey)?.toString('latin1') ?? '');
  const master = keyIn(text);
  if (master === undefined) {
    throw new BackupRefused(`${file ?? 'MASTER_KEY'} holds no master key: it has 64 hexadecimal characters`);
  }
  const keyring = unwrapBackup({ wrapped, master, backup, from: file ?? 'MASTER_KEY' }, randomness);
  return { keyring, masterKey: masterKeyFile === undefined ? undefined : master };
}

function unwrapBackup(
  {
    wrapped,
    master,
    backup,
    from,
  }: Readonly<Record<'wrapped' | 'backup' | 'from', string>> & { readonly master: Buffer },
  randomness: Randomness,
): Keyring {
  try {
    return unwrapKeys(wrapped, master, backup, randomness);
  } catch (error) {
    if ((error as Error).name !== 'WrongMasterKey') throw error;
    throw new BackupRefused(`${from} is not the master key of this backup: name the key of its installation`, {
      cause: error,
    });
  }
}

/**
 * Writes the ledger of the sandbox gateway: all lines up to its known end, and those of later ones that the log knows.
 * @returns its identity, and what gives the file its name; undefined if there is none
 */
async function keepKnown(
  dataDir: string,
  lines: readonly string[],
  entries: ReadonlyMap<string, string>,
  log: EventLogReader,
): Promise<{ readonly identity: string | undefined; readonly name: () => void } | undefined> {
  if (lines.length === 0) return undefined;
  const { size = 0 } = (parsedJson(entries.get(LEDGER_ENTRY) ?? '') ?? {}) as { readonly size?: number };
  const kept: string[] = [];
  let bytes = 0;
  for (const [at, text] of lines.entries()) {
    const isSure = at === 0 || bytes < size;
    bytes += Buffer.byteLength(text) + 1;
    if (isSure || (await isKnownToLog(log, entryOf(JSON.parse(text) as Parameters<typeof entryOf>[0]))))
      kept.push(`${text}\n`);
  }
  const { unfinished, name } = placeIn(dataDir, LEDGER_FILE);
  const descriptor = openSync(unfinished, 'w', 0o600);
  try {
    for (const text of kept) writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return { identity: inspectLedger(unfinished)?.identity, name };
}

/** Writes the manifest of the data folder: from now on a service may start on it. */
function nameFolder(
  config: Config,
  { manifest }: ReadBackup,
  { ledger, starts, log }: { readonly ledger: string | undefined; readonly starts: number; readonly log: string },
): void {
  const { dataDir } = config;
  const files = [
    ...(logEngineOf(config).inFolder ? [EVENTS_FILE] : []),
    ...(stateEngineOf(config).inFolder ? [STATE_FILE] : []),
  ];
  if (files.length === 0) return;
  writeManifest(dataDir, {
    installation: manifest.installation,
    log,
    ledger: ledger ?? null,
    starts,
    files: [
      ...files,
      ...(config.masterKey === undefined && existsSync(join(dataDir, KEY_FILE)) ? [KEY_FILE] : []),
      ...(ledger === undefined ? [] : [LEDGER_FILE]),
    ],
    at: placeOf(dataDir),
  });
}

/** Entries to be read. */
function held(entries: ReadonlyMap<string, string>) {
  return {
    get: (name: string) => Promise.resolve(entries.get(name)),
    insert: (name: string, text: string) => Promise.resolve(entries.get(name) ?? text),
    replace: () => Promise.resolve(false),
  };
}
