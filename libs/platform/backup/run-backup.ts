import { relative, resolve } from 'node:path';
import { thisMachine } from '#adapters/machine';
import {
  Backup,
  BackupFolder,
  BackupRefused,
  type BackupProgress,
  FileSeal,
  generationsIn,
  lockBackup,
  readBackupKey,
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

/** @throws BackupRefused if a backup would be in what it is a backup of */
function refuseWithin(environment: Environment, folder: string): void {
  const { dataDir } = placesIn(environment);
  if (relative(resolve(dataDir), resolve(folder)).startsWith('..')) return;
  throw new BackupRefused(
    `${folder} is in the data folder ${dataDir}: a backup there is lost with it. Name a folder elsewhere, best on another disk`,
  );
}

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
  refuseWithin(environment, order.folder);
  const source = await openSource(placesIn(environment), hearer.ask, time);
  try {
    const release = lockBackup(order.folder);
    try {
      const folder = new BackupFolder(order.folder, FileSeal.with(key, randomness));
      const { installation } = source;
      const options = { installation, keep, signal: hearer.signal, time, progress: hearer.progress.bind(hearer) };
      const backup = await Backup.open(folder, source, options);
      if (order.follow === true) await backup.follow((taken) => hearer.taken(taken));
      else hearer.taken(await backup.once());
    } finally {
      release();
    }
  } finally {
    await source.close();
  }
}
