import { createSecretKey } from 'node:crypto';
import { DomainError } from '#kernel';
import type { KeyStore } from '../ports/key-store.js';
import type { Randomness } from '../ports/randomness.js';
import { showsErased, showsPerson } from '../scheduling/present-answer.js';
import { decrypt, encrypt } from './aes-gcm.js';

const VERSION = 1;

/**
 * Seals what events say about a person with a key of that person. Destroying the key erases the person from every copy of
 * the log: sealed data then opens as null, and no fold fails.
 */
export class PersonalData {
  constructor(
    private readonly keys: KeyStore,
    private readonly randomness: Pick<Randomness, 'bytes'>,
    /** Throws, in a process that opens nobody's data. */
    private readonly refusal?: () => never,
  ) {}

  /**
   * Base64 of a version byte (1) and the JSON of `data` under AES-256-GCM, bound to the person's id.
   * @throws DomainError `person_erased` if the person's key is destroyed: nothing more may be recorded about them
   */
  async seal(person: string, data: object): Promise<string> {
    const key = await this.keys.obtain(person);
    if (key === undefined) throw new DomainError('person_erased', 'this person has been erased');
    // The answer shows what the request brought.
    showsPerson(person);
    const sealed = encrypt(createSecretKey(key), Buffer.from(JSON.stringify(data)), person, this.randomness);
    return Buffer.concat([Buffer.of(VERSION), sealed]).toString('base64');
  }

  /** Passes where data of persons may be shown. @throws Unavailable in a process that opens none */
  mayShow(): void {
    this.refusal?.();
  }

  /**
   * The data that was sealed for this person; null if the key is gone or never existed, or if the text does not
   * authenticate. Rejects only if the key store fails: that is a fault, not an erased person.
   */
  async open<T extends object>(person: string, sealed: string): Promise<T | null> {
    const key = await this.keys.get(person);
    if (key === undefined) {
      showsErased(person);
      return null;
    }
    showsPerson(person);
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes[0] !== VERSION) return null;
    const plain = decrypt(createSecretKey(key), bytes.subarray(1), person);
    return plain === undefined ? null : (JSON.parse(plain.toString()) as T);
  }
}
