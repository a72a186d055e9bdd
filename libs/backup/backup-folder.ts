import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { namedAfter, readWithin, syncFolder } from '#files';
import { FILES } from '#kernel/bounds';
import { BackupRefused, damaged } from './damaged.js';
import { type FileSeal, sha256 } from './file-seal.js';
import { BACKUP_FILE, type Manifest, manifestText, parseManifest } from './manifest.js';

/** What is known of a file of a backup. */
export interface KnownFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** The folder of a backup: its manifest and its files, each written whole or not at all. */
export class BackupFolder {
  constructor(
    readonly path: string,
    readonly seal: FileSeal,
  ) {}

  /** The manifest; undefined if there is none. @throws BackupRefused */
  manifest(): Manifest | undefined {
    const file = this.fileOf(BACKUP_FILE);
    if (!existsSync(file)) return undefined;
    const bytes = readWithin(file, FILES.backup);
    if (bytes === undefined) throw damaged(file, `is larger than ${FILES.backup} bytes`);
    return parseManifest(file, bytes.toString(), this.seal);
  }

  /** Replaces the manifest: from now on the backup is this. */
  name(manifest: Manifest): void {
    this.#write(BACKUP_FILE, Buffer.from(manifestText(manifest, this.seal)));
  }

  /** Writes a file of a backup durably. @param path in the folder */
  async write(installation: string, path: string, text: string | Buffer): Promise<KnownFile> {
    const bytes = await this.seal.seal(`${installation}/${path}`, text);
    this.#write(path, bytes);
    return { bytes: bytes.length, sha256: sha256(bytes) };
  }

  /** The stored bytes of a file. @throws BackupRefused that names it if it is missing or not the known one */
  stored(path: string, known: KnownFile): Buffer {
    const file = this.fileOf(path);
    if (!existsSync(file)) throw damaged(file, 'is missing');
    const bytes = readWithin(file, FILES.backupPart);
    if (bytes?.length !== known.bytes) throw damaged(file, `does not have its ${known.bytes} bytes`);
    if (sha256(bytes) !== known.sha256) throw damaged(file, 'is damaged, or another file is in its place');
    return bytes;
  }

  /** The text of a file. @throws BackupRefused that names it if it is missing, damaged, or of another backup */
  async read(installation: string, path: string, known: KnownFile): Promise<Buffer> {
    const text = await this.seal.open(`${installation}/${path}`, this.stored(path, known));
    if (text === undefined) throw damaged(this.fileOf(path), 'cannot be opened, or belongs to another place');
    return text;
  }

  fileOf(path: string): string {
    return join(this.path, path);
  }

  /**
   * Removes files and folders that no manifest names: those of a run that broke off, and of copies that are not kept. What a
   * backup does not write, it does not remove.
   */
  clean(folder: Part, isKept: (name: string) => boolean): void {
    const place = this.fileOf(folder);
    for (const name of namesIn(place, PART_NAMES[folder])) {
      if (isKept(name)) continue;
      if (folder !== 'states') {
        rmSync(join(place, name));
        continue;
      }
      for (const file of namesIn(join(place, name), STATE_NAMES)) rmSync(join(place, name, file));
      if (readdirSync(join(place, name)).length === 0) rmdirSync(join(place, name));
    }
  }

  #write(path: string, bytes: Buffer): void {
    const file = this.fileOf(path);
    const beside = `${file}.tmp`;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const descriptor = openSync(beside, 'w', 0o600);
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(beside, file);
      syncFolder(dirname(file));
      syncFolder(this.path);
    } catch (error) {
      const named = namedAfter(file, error) as Error;
      throw new BackupRefused(named.message, { cause: error });
    }
  }
}

/** The folders of a backup. */
type Part = 'log' | 'states' | 'tail';

/** The names that a backup writes in each, with those of files that are not whole. */
const PART_NAMES: Readonly<Record<Part, RegExp>> = {
  log: /^\d{8,}\.ndjson\.zst(\.tmp)?$/,
  states: /^\d{8}T\d{6}Z$/,
  tail: /^\d+\.blocks$/,
};
/** The names in the folder of a copy. */
const STATE_NAMES = /^(state-\d+\.ndjson\.zst|erasures(-\d+)?\.jsonl)(\.tmp)?$/;

function namesIn(place: string, form: RegExp): readonly string[] {
  return existsSync(place) ? readdirSync(place).filter((name) => form.test(name)) : [];
}
