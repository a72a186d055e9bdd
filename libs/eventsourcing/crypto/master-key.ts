import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Keyring } from './keyring.js';
import { writeSecretFile } from './secret-file.js';

/**
 * The 32 bytes from which every other key is derived: out of the environment's text (64 hex characters, or the base64 of
 * 32 bytes), else out of the file, which is made at the first use (mode 0600, durable before this returns).
 * @throws Error naming MASTER_KEY or the file, never showing what they hold, when it is not such a key
 */
export function loadMasterKey(source: { readonly fromEnvironment?: string; readonly file: string }): Buffer {
  if (source.fromEnvironment !== undefined) {
    const key = decode(source.fromEnvironment);
    if (key === undefined) {
      throw new Error('MASTER_KEY must be 64 hexadecimal characters or the base64 of 32 bytes');
    }
    return key;
  }
  const content = read(source.file);
  if (content === undefined) {
    const key = randomBytes(32);
    writeSecretFile(source.file, `${key.toString('hex')}\n`);
    return key;
  }
  const key = decode(content);
  if (key === undefined) {
    throw new Error(
      `${source.file} does not hold a master key (64 hexadecimal characters): put its copy back. ` +
        'Without that key nothing that was sealed with it can be opened',
    );
  }
  return key;
}

/**
 * What a store remembers of the master key that it was written with, to refuse another one at the start. It tells nothing
 * about the key.
 */
export function masterKeyCheck(keyring: Keyring): string {
  return keyring.hash('master-key-check', 'holdfast');
}

function decode(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  if (/^[A-Za-z0-9+/]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64');
  return undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
