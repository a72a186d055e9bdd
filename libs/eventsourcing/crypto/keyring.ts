import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Randomness } from '../ports/randomness.js';
import type { Sealed } from '../ports/sealed.js';
import { decrypt, encrypt } from './aes-gcm.js';

/** The keys of an installation, 32 bytes each. */
export interface Keys {
  /** Makes ids, look-ups and barcodes. It never changes. */
  readonly hash: Buffer;
  /** Keys that seal stored data, by number. The highest seals new data, unless the seal key changes. */
  readonly seal: ReadonlyMap<number, Buffer>;
  /** Keys that sign URLs, by number. The highest signs new ones, unless the URL key changes. */
  readonly url: ReadonlyMap<number, Buffer>;
  /** The rotation that is under way; absent if there is none. */
  readonly change?: KeyChange | undefined;
}

/** Kinds of keys that newer ones can follow. */
export type RenewedUse = 'seal' | 'url';

/** A newer key follows an older one. */
export interface KeyChange {
  readonly use: RenewedUse;
  readonly from: number;
  readonly to: number;
  /** `known`: processes learn the newer key, and none uses it yet. `used`: new data is made with it. */
  readonly step: 'known' | 'used';
}

/** The form of a signature in a URL. A signature by key 0 has no number, as before keys had numbers. */
const SIGNATURE = /^(?:([1-9]\d{0,8})-)?([0-9a-f]{16})$/;

/**
 * Everything that is derived from the keys of an installation. Each use and purpose has its own subkey (HKDF-SHA256), so one
 * of them reveals nothing about another. A purpose is a constant of the code, never data, because subkeys are cached for
 * ever. Changing a purpose, or a derivation here, changes what is on disk.
 */
export class Keyring {
  readonly #hash: Subkeys;
  #seal: Numbered;
  #url: Numbered;

  private constructor(
    keys: Keys,
    private readonly randomness: Pick<Randomness, 'bytes'>,
  ) {
    this.#hash = new Subkeys(keys.hash);
    this.#seal = numbered('seal', keys);
    this.#url = numbered('url', keys);
  }

  /** @throws RangeError if a key does not have 32 bytes, or there is no key to seal or sign with */
  static holding(keys: Keys, randomness: Pick<Randomness, 'bytes'>): Keyring {
    return new Keyring(keys, randomness);
  }

  /**
   * One key for everything, with the number 0, as when everything was derived from the master key.
   * @param key 32 bytes; anything else is a RangeError
   */
  static of(key: Buffer, randomness: Pick<Randomness, 'bytes'>): Keyring {
    return new Keyring({ hash: key, seal: new Map([[0, key]]), url: new Map([[0, key]]) }, randomness);
  }

  /**
   * Takes other keys for sealing and for URLs, as a rotation goes on.
   * @throws Error if the hash key is another one: it never changes
   */
  renew(keys: Keys): void {
    if (new Subkeys(keys.hash).id !== this.#hash.id) throw new Error('the keys belong to another installation');
    [this.#seal, this.#url] = [numbered('seal', keys), numbered('url', keys)];
  }

  /** Names each key by 8 hex characters that reveal nothing of it, the newest one first. */
  get ids(): { readonly hash: string; readonly seal: readonly string[]; readonly url: readonly string[] } {
    return { hash: this.#hash.id, seal: this.#seal.ids, url: this.#url.ids };
  }

  /** A keyed hash: 32 lower-case hex characters (128 bits of HMAC-SHA256). The same text always gives the same hash. */
  hash(purpose: string, text: string): string {
    return hmac(this.#hash.of(`hash:${purpose}`), text).slice(0, 32);
  }

  /**
   * The id of a thing that a command creates (ruling B2): 32 lower-case hex characters, first the time of the command id (48
   * bits of milliseconds), then 80 bits of HMAC. Repeatable, unguessable and ordered by time.
   */
  deriveId(commandId: string, index: number): string {
    const time = commandId.slice(0, 8) + commandId.slice(9, 13);
    return time + hmac(this.#hash.of('ids'), `${commandId}:${index}`).slice(0, 20);
  }

  /**
   * A number of decimal digits, repeatable and unguessable. The remainder of a 256-bit number favours small results by at
   * most 10^count / 2^256, below 2^-128 for the 38 digits allowed.
   */
  digits(purpose: string, text: string, count: number): string {
    if (!Number.isInteger(count) || count < 1 || count > 38) throw new RangeError('1 to 38 digits');
    const number = BigInt(`0x${hmac(this.#hash.of(`digits:${purpose}`), text)}`);
    return (number % 10n ** BigInt(count)).toString().padStart(count, '0');
  }

  /**
   * A signature for a URL, without a date: 16 lower-case hex characters, after the number of the key and a dash unless the
   * number is 0.
   */
  sign(purpose: string, text: string): string {
    return this.#sign(this.#url.newest, purpose, text);
  }

  /** The number of the key that seals new data. */
  get sealingKey(): number {
    return this.#seal.newest;
  }

  /** The number of the key that signs URLs. */
  get signingKey(): number {
    return this.#url.newest;
  }

  /** Signs as long ago, with the key of a number. @returns undefined if there is no such key (any more) */
  signingWith(key: number): Pick<Keyring, 'sign'> | undefined {
    return this.#url.has(key) ? { sign: (purpose, text) => this.#sign(key, purpose, text) } : undefined;
  }

  #sign(key: number, purpose: string, text: string): string {
    return `${key === 0 ? '' : `${key}-`}${this.#signature(key, purpose, text) ?? ''}`;
  }

  /** Whether the signature belongs to this text. The time does not depend on where it differs. */
  verify(purpose: string, text: string, signature: string): boolean {
    const [, number = '0', actual] = SIGNATURE.exec(signature) ?? [];
    const expected = actual && this.#signature(Number(number), purpose, text);
    return !!actual && !!expected && timingSafeEqual(Buffer.from(actual), Buffer.from(expected));
  }

  /** A new random secret: the prefix and 32 random bytes as base64url (43 characters). */
  secret(prefix = ''): string {
    return prefix + this.key().toString('base64url');
  }

  /** A new random key: 32 bytes. */
  key(): Buffer {
    return this.randomness.bytes(32);
  }

  /**
   * Seals bytes with AES-256-GCM: nonce (12), tag (16), ciphertext. `context` names the owner of the bytes; opening needs
   * the same context, so sealed bytes cannot move to another row. At most 2^32 times per key and purpose.
   */
  wrap(purpose: string, bytes: Uint8Array, context = ''): Sealed {
    const { newest } = this.#seal;
    return {
      key: newest,
      bytes: encrypt(this.#seal.subkey(newest, `wrap:${purpose}`), bytes, `${purpose}:${context}`, this.randomness),
    };
  }

  /**
   * Opens what `wrap` sealed, with the key of the stored number.
   * @throws Error if the bytes were changed, or sealed for another purpose or context, or under another key
   */
  unwrap(purpose: string, { key, bytes }: Sealed, context = ''): Buffer {
    const opened = decrypt(this.#seal.subkey(key, `wrap:${purpose}`), bytes, `${purpose}:${context}`);
    if (opened === undefined) throw new Error(`sealed bytes (${purpose}) do not open: changed, or of another key`);
    return opened;
  }

  #signature(number: number, purpose: string, text: string): string | undefined {
    if (!this.#url.has(number)) return undefined;
    return hmac(this.#url.subkey(number, `sign:${purpose}`), text).slice(0, 16);
  }
}

/** The subkeys of one key, by use. */
class Subkeys {
  readonly #key: KeyObject;
  readonly #known = new Map<string, KeyObject>();

  constructor(key: Buffer) {
    if (key.length !== 32) throw new RangeError(`a key has 32 bytes, not ${key.length}`);
    this.#key = createSecretKey(key);
  }

  get id(): string {
    return hmac(this.of('id'), '').slice(0, 8);
  }

  of(use: string): KeyObject {
    let subkey = this.#known.get(use);
    if (subkey === undefined) {
      subkey = createSecretKey(Buffer.from(hkdfSync('sha256', this.#key, '', `holdfast:${use}`, 32)));
      this.#known.set(use, subkey);
    }
    return subkey;
  }
}

/** Keys that newer ones may follow: sealed data and signatures name the number of their key. */
class Numbered {
  readonly #keys: ReadonlyMap<number, Subkeys>;

  /** @param newest the number for new data */
  constructor(
    private readonly kind: string,
    keys: ReadonlyMap<number, Buffer>,
    readonly newest: number,
  ) {
    if (!keys.has(newest)) throw new RangeError(`there is no ${kind} key`);
    this.#keys = new Map([...keys].map(([number, key]) => [number, new Subkeys(key)]));
  }

  /** The ids of all keys, the newest one first. */
  get ids(): readonly string[] {
    const others = [...this.#keys.keys()].filter((number) => number !== this.newest).sort((a, b) => b - a);
    return [this.newest, ...others].map((number) => this.#keys.get(number)?.id ?? '');
  }

  has(number: number): boolean {
    return this.#keys.has(number);
  }

  /** @throws Error if there is no key with this number */
  subkey(number: number, use: string): KeyObject {
    const subkeys = this.#keys.get(number);
    if (subkeys === undefined) throw new Error(`the key store has no ${this.kind} key of the number ${number}`);
    return subkeys.of(use);
  }
}

function numbered(use: RenewedUse, keys: Keys): Numbered {
  return new Numbered(use, keys[use], newestOf(keys, use));
}

/** The number of the key that new data is made with. */
export function newestOf({ change, ...keys }: Keys, use: RenewedUse): number {
  if (change?.use === use) return change.step === 'used' ? change.to : change.from;
  return Math.max(...keys[use].keys());
}

function hmac(subkey: KeyObject, text: string): string {
  return createHmac('sha256', subkey).update(text).digest('hex');
}
