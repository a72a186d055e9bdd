import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keyIn, MASTER_KEY_FORM, type Randomness, writeSecretFile } from '#eventsourcing';
import { readWithin, syncFolder } from '#files';
import { FILES } from '#kernel/bounds';

/**
 * The files of a rotation of the master key, in the data folder: `master.key`, the one that follows (`master.key.next`), and the one
 * before (`master.key.old`), which opens backups from before. Nothing of the old key goes before the new one was read back.
 */
export class MasterKeyFiles {
  readonly present: string;
  readonly next: string;
  readonly old: string;

  constructor(dataDir: string) {
    this.present = join(dataDir, 'master.key');
    this.next = `${this.present}.next`;
    this.old = `${this.present}.old`;
  }

  /** Whether the key before the present one is still there. */
  get hasOld(): boolean {
    return existsSync(this.old);
  }

  /** The key that follows; undefined if there is none. @throws Error that names the file if it holds no key */
  readNext(): Buffer | undefined {
    return existsSync(this.next) ? keyOf(this.next) : undefined;
  }

  /** Makes the key that follows. */
  makeNext(randomness: Pick<Randomness, 'bytes'>): Buffer {
    const made = randomness.bytes(32);
    write(this.next, made);
    return made;
  }

  /** Makes the key that follows the present one, and keeps the one before. Each step may be done again. */
  swap(): void {
    const next = keyOf(this.next);
    write(this.old, keyOf(this.present));
    renameSync(this.next, this.present);
    syncFolder(dirname(this.present));
    if (!keyOf(this.present).equals(next)) throw new Error(`${this.present} does not hold what was written to it`);
  }

  /** Removes the key that follows once it is the present one, wherever that is set. */
  removeNext(present: Buffer): void {
    if (this.readNext()?.equals(present) === true) rmSync(this.next);
  }
}

function write(file: string, key: Buffer): void {
  writeSecretFile(file, `${key.toString('hex')}\n`);
  if (!keyOf(file).equals(key)) throw new Error(`${file} does not hold what was written to it`);
}

function keyOf(file: string): Buffer {
  const key = keyIn(readWithin(file, FILES.masterKey)?.toString('latin1') ?? '');
  if (key === undefined) throw new Error(`${file} ${MASTER_KEY_FORM}`);
  return key;
}
