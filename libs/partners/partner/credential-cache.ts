import { hash } from 'node:crypto';
import { ViewCache, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import type { View } from '#kernel';

export type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

/** Credentials in each of the two generations of the memory. */
const CACHED = 10_000;

/**
 * Remembers the partner of a credential until credentials change. It never remembers that a credential is unknown. Inside
 * this process a salted hash is enough, and much faster than a keyed one; every call of a partner needs it.
 */
export class CredentialCache {
  readonly #cache: ViewCache<PartnerCaller>;
  readonly #salt: string;

  /** @param view the view of the credentials */
  constructor({ changes, randomness }: Pick<Engine, 'changes' | 'randomness'>, view: Pick<View, 'name'>) {
    this.#salt = randomness.hex(32);
    this.#cache = new ViewCache(changes, view, CACHED);
  }

  find(credential: string, look: () => Promise<PartnerCaller | undefined>): Promise<PartnerCaller | undefined> {
    return this.#cache.find(hash('sha256', this.#salt + credential), look);
  }
}
