import { existsSync } from 'node:fs';
import { thisMachine } from '#adapters/machine';
import {
  Backup,
  BackupFolder,
  type BackupProgress,
  FileSeal,
  generationsIn,
  lockBackup,
  readBackupKey,
  refuseForeign,
  refuseWithin,
  removeEmpty,
  type TakenBackup,
} from '#backup';
import type { Environment } from '../environment.js';
import { type AskService, openSource } from './open-source.js';
import { placesIn } from './places.js';

/** What an operator asks for. */
export interface BackupOrder {
  readonly folder: string;
  readonly keyFile?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly keep?: string | undefined;
}

/** Who ordered a backup. */
export interface BackupHearer {
  readonly ask: AskService;
  readonly signal: AbortSignal;
  progress(progress: BackupProgress): void;
  /** Hears what they should know. */
  warn(words: string): void;
  /** Hears of each whole copy. */
  taken(taken: TakenBackup): void;
}

const PLAIN =
  'this backup is not encrypted: it holds the vault, sealed under keys that MASTER_KEY opens. Keep the two apart, or give --key-file';

/**
 * Copies an installation into a folder, once, or until the signal aborts. What was copied before stays, and the next run goes on.
 * @throws Error for people to read
 */
export async function runBackup(environment: Environment, order: BackupOrder, hearer: BackupHearer): Promise<void> {
  process.umask(0o077);
  const { time, randomness } = thisMachine;
  const keep = order.keep === undefined ? undefined : generationsIn(order.keep);
  const key = order.keyFile === undefined ? undefined : readBackupKey(order.keyFile);
  if (key === undefined) hearer.warn(PLAIN);
  const places = placesIn(environment);
  refuseWithin(order.folder, places.dataDir);
  refuseForeign(order.folder);
  const patient = order.follow === true;
  const waits = { patient, signal: hearer.signal, time, warn: hearer.warn.bind(hearer) };
  const source = await openSource(places, hearer.ask, waits);
  const isNew = !existsSync(order.folder);
  try {
    const release = lockBackup(order.folder);
    const folder = new BackupFolder(order.folder, FileSeal.with(key, randomness));
    try {
      const { installation } = source;
      const options = { installation, keep, signal: hearer.signal, time, progress: hearer.progress.bind(hearer) };
      const backup = await Backup.open(folder, source, options);
      if (order.follow === true) await backup.follow((taken) => hearer.taken(taken));
      else hearer.taken(await backup.once());
    } catch (error) {
      if (isNew) removeEmpty(order.folder);
      throw error;
    } finally {
      release();
    }
  } finally {
    await source.close();
  }
}
