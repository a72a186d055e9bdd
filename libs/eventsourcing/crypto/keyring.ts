import { createHmac, createSecretKey, hkdfSync, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.js';

/**
 * Everything that is derived from the master key. Each use and purpose has a subkey of its own (HKDF-SHA256), so that what
 * one of them shows tells nothing about another. A purpose is a constant of the code, never data: subkeys are kept for ever.
 * Changing a purpose, or how a value is derived here, changes what is on disk.
 */
export class Keyring {
  readonly #master: KeyObject;
  readonly #subkeys = new Map<string, KeyObject>();

  private constructor(master: KeyObject) {
    this.#master = master;
  }

  /** @param master 32 bytes; anything else is a RangeError. */
  static of(master: Buffer): Keyring {
    if (master.length !== 32) throw new RangeError(`a master key has 32 bytes, not ${master.length}`);
    return new Keyring(createSecretKey(master));
  }

  /** A keyed hash: 32 lower-case hex characters (128 bits of HMAC-SHA256), the same for the same text for ever. */
  hash(purpose: string, text: string): string {
    return this.#hmac(`hash:${purpose}`, text).slice(0, 32);
  }

  /**
   * The id of the thing that a command creates (ruling B2): 32 lower-case hex characters, the time of the
   * command id in front (48 bits of milliseconds) and 80 bits of HMAC behind. Repeatable, unguessable, ordered by time.
   */
  deriveId(commandId: string, index: number): string {
    const time = commandId.slice(0, 8) + commandId.slice(9, 13);
    return time + this.#hmac('ids', `${commandId}:${index}`).slice(0, 20);
  }

  /**
   * So many decimal digits, repeatable and unguessable. The remainder of a 256-bit number favours small results by at most
   * 10^count / 2^256, below 2^-128 for the 38 digits allowed.
   */
  digits(purpose: string, text: string, count: number): string {
    if (!Number.isInteger(count) || count < 1 || count > 38) throw new RangeError('1 to 38 digits');
    const number = BigInt(`0x${this.#hmac(`digits:${purpose}`, text)}`);
    return (number % 10n ** BigInt(count)).toString().padStart(count, '0');
  }

  /** A signature for a URL: 16 lower-case hex characters, without a date. */
  sign(purpose: string, text: string): string {
    return this.#hmac(`sign:${purpose}`, text).slice(0, 16);
  }

  /** Whether the signature is this text's, in a time that does not depend on where it differs. */
  verify(purpose: string, text: string, signature: string): boolean {
    const expected = Buffer.from(this.sign(purpose, text));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** A new random secret: the prefix and 32 random bytes as base64url (43 characters). */
  secret(prefix = ''): string {
    return prefix + randomBytes(32).toString('base64url');
  }

  /**
   * Seals bytes with AES-256-GCM: nonce (12), tag (16), ciphertext. `context` names what they belong to, and must be given
   * again to open them, so that sealed bytes cannot be moved to another row. At most 2^32 times per purpose.
   */
  wrap(purpose: string, bytes: Uint8Array, context = ''): Buffer {
    return encrypt(this.#subkey(`wrap:${purpose}`), bytes, `${purpose}:${context}`);
  }

  /** Opens what `wrap` sealed. @throws Error when it was changed, or sealed for another purpose, context or master key. */
  unwrap(purpose: string, wrapped: Uint8Array, context = ''): Buffer {
    const bytes = decrypt(this.#subkey(`wrap:${purpose}`), wrapped, `${purpose}:${context}`);
    if (bytes === undefined) throw new Error(`sealed bytes (${purpose}) do not open: changed, or of another key`);
    return bytes;
  }

  #hmac(use: string, text: string): string {
    return createHmac('sha256', this.#subkey(use)).update(text).digest('hex');
  }

  #subkey(use: string): KeyObject {
    let subkey = this.#subkeys.get(use);
    if (subkey === undefined) {
      subkey = createSecretKey(Buffer.from(hkdfSync('sha256', this.#master, '', `holdfast:${use}`, 32)));
      this.#subkeys.set(use, subkey);
    }
    return subkey;
  }
}
