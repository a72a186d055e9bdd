import type { RecordKey } from '../ports/idempotency-records.js';
import type { Sealed } from '../ports/sealed.js';
import type { ResealedRow, SealedKind, SealedRow } from '../ports/sealed-rows.js';
import type { Keyring } from './keyring.js';

/**
 * How a state store seals and names what it keeps. It is the same for every engine: the purposes below are on disk, and one
 * engine can open what another sealed.
 */
const VAULT = 'vault';
const PERSON_KEY = 'person-key';
const RECORD = 'idempotency-record';
const ANSWER = 'answers';
const SHOWN_PERSON = 'shown-person';

/** Seals the vault's secrets, each bound to its id. */
export class SecretSeal {
  constructor(private readonly keyring: Keyring) {}

  seal(id: string, secret: Uint8Array): Sealed {
    return this.keyring.wrap(VAULT, secret, id);
  }

  /** @throws Error if the bytes were changed, or sealed for another id or under another key */
  open(id: string, sealed: Sealed): Buffer {
    return this.keyring.unwrap(VAULT, sealed, id);
  }

  /** See {@link Vault.fingerprint}. */
  fingerprint(text: string): string {
    return this.keyring.hash(VAULT, text);
  }
}

/** Wraps the keys of persons, each bound to its person. */
export class PersonKeySeal {
  constructor(private readonly keyring: Keyring) {}

  /** A new key. */
  newKey(): Buffer {
    return this.keyring.key();
  }

  /** A key, wrapped. */
  seal(person: string, key: Uint8Array): Sealed {
    return this.keyring.wrap(PERSON_KEY, key, person);
  }

  /** A new key, wrapped. */
  make(person: string): Sealed {
    return this.seal(person, this.newKey());
  }

  /** @throws Error if the bytes were changed, or wrapped for another person or under another key */
  open(person: string, wrapped: Sealed): Buffer {
    return this.keyring.unwrap(PERSON_KEY, wrapped, person);
  }
}

/** Seals the answers kept for repeats. */
export class AnswerSeal {
  constructor(private readonly keyring: Keyring) {}

  seal(answer: Uint8Array): Sealed {
    return this.keyring.wrap(ANSWER, answer);
  }

  /** @throws Error if the bytes were changed, or sealed under another key */
  open(sealed: Sealed): Buffer {
    return this.keyring.unwrap(ANSWER, sealed);
  }
}

const PURPOSES: Readonly<Record<SealedKind, string>> = { key: PERSON_KEY, secret: VAULT, answer: ANSWER };

/** The same row, sealed under the newest key. @throws Error if it does not open */
export function resealed(keyring: Keyring, row: SealedRow): ResealedRow {
  const purpose = PURPOSES[row.kind];
  const context = row.kind === 'answer' ? '' : row.name;
  return { ...row, again: keyring.wrap(purpose, keyring.unwrap(purpose, row.sealed, context), context) };
}

/** The name in a record of the person whom its answer shows. */
export function shownPersonName(keyring: Keyring, person: string): string {
  return keyring.hash(SHOWN_PERSON, person);
}

/** The name of a repeatable request's record. The length in front keeps apart two pairs that read the same when joined. */
export function recordName(keyring: Keyring, { credential, key }: RecordKey): string {
  return keyring.hash(RECORD, `${credential.length}:${credential}${key}`);
}
