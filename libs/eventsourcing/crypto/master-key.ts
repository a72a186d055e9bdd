import { PUT_BACK, readWithin } from '#files';
import { FILES } from '#kernel/bounds';
import type { Randomness } from '../ports/randomness.js';
import { writeSecretFile } from './secret-file.js';

/** The form of a master key, as text that follows its name. */
export const MASTER_KEY_FORM = 'must be 64 hexadecimal characters or the base64 of 32 bytes';

/** Whether text has the form of a master key. It may still be the wrong key. */
export function isMasterKey(text: string): boolean {
  return keyIn(text) !== undefined;
}

/**
 * Gives the 32 bytes that wrap the keys of an installation.
 * @param mayMake whether a missing key may be made: never if something was already written with it
 */
export type MasterKey = (mayMake: boolean) => Buffer;

/**
 * The master key: from the environment's text (64 hex characters, or the base64 of 32 bytes), or from the file. The first
 * use makes the file (mode 0600, durable before this returns) unless `mustExist`.
 * @throws Error that names MASTER_KEY or the file, never its content, if the key is missing or malformed
 */
export function loadMasterKey(source: {
  readonly fromEnvironment?: string | undefined;
  readonly file: string;
  readonly mustExist?: boolean;
  readonly randomness: Randomness;
}): Buffer {
  if (source.fromEnvironment !== undefined) {
    const key = keyIn(source.fromEnvironment);
    if (key === undefined) {
      throw new Error(`MASTER_KEY ${MASTER_KEY_FORM}`);
    }
    return key;
  }
  const content = read(source.file);
  if (content === undefined) {
    if (source.mustExist === true) {
      throw new Error(
        `${source.file} is missing, and MASTER_KEY is not set: ${PUT_BACK}, or set MASTER_KEY to what it holds. ` +
          'Without that key nothing that was sealed with it can be opened',
      );
    }
    const key = source.randomness.bytes(32);
    writeSecretFile(source.file, `${key.toString('hex')}\n`);
    return key;
  }
  const key = keyIn(content);
  if (key === undefined) {
    throw new Error(
      `${source.file} does not hold a master key (64 hexadecimal characters): ${PUT_BACK}. ` +
        'Without that key nothing that was sealed with it can be opened',
    );
  }
  return key;
}

/** The 32 bytes in a text of the form of a master key; undefined if it has another form. */
export function keyIn(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  if (/^[A-Za-z0-9+/]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64');
  return undefined;
}

/** The content of the file; too large a file gives text that is no key. Undefined if there is no file. */
function read(file: string): string | undefined {
  try {
    return readWithin(file, FILES.masterKey)?.toString('latin1') ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
