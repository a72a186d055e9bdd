import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { openToOthers, readWithin } from '#files';
import { FILES } from '#kernel/bounds';
import { decrypt, encrypt, keyIn, type Randomness } from '#eventsourcing';
import { BackupRefused } from './damaged.js';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The most bytes of a file of a backup when it is not compressed: a segment ends with the event that reaches half of it. */
export const MOST_TEXT = 64 * 1024 * 1024;

/** The end of the names of files that are not compressed, so that people can read them. */
const PLAIN = '.jsonl';

/** Fast, and about a tenth of the bytes are left. */
const LEVEL = 1;

/** Compresses the files of a backup, and encrypts them if there is a key. Each is bound to its installation and its name. */
export class FileSeal {
  private constructor(
    private readonly key: KeyObject | undefined,
    private readonly randomness: Pick<Randomness, 'bytes'>,
  ) {}

  /** @param key 32 bytes; undefined: the files are only compressed */
  static with(key: Buffer | undefined, randomness: Pick<Randomness, 'bytes'>): FileSeal {
    return new FileSeal(key && createSecretKey(key), randomness);
  }

  /** Whether files are encrypted. */
  get encrypts(): boolean {
    return this.key !== undefined;
  }

  /** The bytes of a file. @param name its path in the backup, with the installation in front */
  async seal(name: string, text: string | Buffer): Promise<Buffer> {
    const small = name.endsWith(PLAIN)
      ? Buffer.from(text)
      : await compress(text, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
    return this.key === undefined ? small : encrypt(this.key, small, name, this.randomness);
  }

  /** The text of a file; undefined if its bytes are damaged, of another file, or under another key. */
  async open(name: string, bytes: Buffer): Promise<Buffer | undefined> {
    const small = this.key === undefined ? bytes : decrypt(this.key, bytes, name);
    if (small === undefined || name.endsWith(PLAIN)) return small;
    return decompress(small, { maxOutputLength: MOST_TEXT }).catch(() => undefined);
  }

  /** What proves a text: with a key, nobody without it can make one. 64 hexadecimal characters. */
  proof(text: string): string {
    const made = this.key === undefined ? createHash('sha256') : createHmac('sha256', this.key);
    return made.update(text).digest('hex');
  }
}

/** SHA-256 in hexadecimal digits. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The key in the file of `--key-file`: 32 bytes as 64 hexadecimal characters or as base64.
 * @throws BackupRefused that names the file if it is a folder, other users can read it, or it holds no key
 */
export function readBackupKey(file: string): Buffer {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new BackupRefused(`--key-file: ${file} is a folder: name the file that holds the key`);
  const open = openToOthers(file);
  if (open !== undefined) throw new BackupRefused(`--key-file: ${open}`);
  const text = readWithin(file, FILES.masterKey)?.toString('latin1') ?? '';
  const key = keyIn(text);
  if (key === undefined) {
    throw new BackupRefused(
      `--key-file: ${file} must hold 64 hexadecimal characters or the base64 of 32 bytes, such as \`openssl rand -hex 32\` prints`,
    );
  }
  return key;
}
