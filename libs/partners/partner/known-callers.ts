import { hash } from 'node:crypto';
import { Remembered, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import type { View } from '#kernel';

export type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

/** Credentials that are remembered, in each of the map's two generations. */
const REMEMBERED = 10_000;

/**
 * Remembers whom a credential belongs to until credentials change; that it belongs to nobody never is. Within this process a
 * salted hash is enough, and much faster than a keyed one: every call of a partner asks for it.
 */
export class KnownCallers {
  readonly #remembered: Remembered<PartnerCaller>;
  readonly #salt: string;

  /** @param view that the credentials are looked up in */
  constructor({ changes, randomness }: Pick<Engine, 'changes' | 'randomness'>, view: Pick<View, 'name'>) {
    this.#salt = randomness.hex(32);
    this.#remembered = new Remembered(changes, view, REMEMBERED);
  }

  find(credential: string, look: () => Promise<PartnerCaller | undefined>): Promise<PartnerCaller | undefined> {
    return this.#remembered.find(hash('sha256', this.#salt + credential), look);
  }
}
