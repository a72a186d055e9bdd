import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { Randomness } from '../ports/randomness.js';

const NONCE = 12;
const TAG = 16;

/**
 * AES-256-GCM with a random nonce. The result is one buffer: nonce (12 bytes), tag (16), ciphertext. The key is a KeyObject,
 * because a raw buffer costs 10 µs more per call. Use one key for at most 2^32 messages (NIST SP 800-38D, 8.3): beyond that,
 * a repeated nonce is no longer improbable.
 */
export function encrypt(key: KeyObject, plain: Uint8Array, aad: string, randomness: Pick<Randomness, 'bytes'>): Buffer {
  const nonce = randomness.bytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(aad));
  const sealed = cipher.update(plain);
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** The plain bytes; undefined if they do not authenticate under this key and these associated data. */
export function decrypt(key: KeyObject, sealed: Uint8Array, aad: string): Buffer | undefined {
  if (sealed.length < NONCE + TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  const plain = decipher.update(sealed.subarray(NONCE + TAG));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return plain;
}
