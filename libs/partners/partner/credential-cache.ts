import { hash } from 'node:crypto';
import { Remembered, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import type { View } from '#kernel';

export type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

/** Credentials in each of the two generations of the memory. */
const REMEMBERED = 10_000;

/**
 * Remembers the partner of a credential until credentials change. It never remembers that a credential is unknown. Inside
 * this process a salted hash is enough, and much faster than a keyed one; every call of a partner needs it.
 */
export class CredentialCache {
  readonly #remembered: Remembered<PartnerCaller>;
  readonly #salt: string;

  /** @param view the view of the credentials */
  constructor({ changes, randomness }: Pick<Engine, 'changes' | 'randomness'>, view: Pick<View, 'name'>) {
    this.#salt = randomness.hex(32);
    this.#remembered = new Remembered(changes, view, REMEMBERED);
  }

  find(credential: string, look: () => Promise<PartnerCaller | undefined>): Promise<PartnerCaller | undefined> {
    return this.#remembered.find(hash('sha256', this.#salt + credential), look);
  }
}
