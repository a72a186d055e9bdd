import { hash, randomBytes } from 'node:crypto';
import { BoundedMap } from '#eventsourcing';
import type { Caller } from '#http';

export type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

const nothing = (): BoundedMap<string, PartnerCaller> => new BoundedMap(10_000);

/**
 * Remembers whom a credential belongs to until credentials change; that it belongs to nobody never is. Within this process a
 * salted hash is enough, and much faster than a keyed one: every call of a partner asks for it.
 */
export class KnownCallers {
  #known = nothing();
  readonly #salt = randomBytes(32).toString('hex');

  async find(credential: string, look: () => Promise<PartnerCaller | undefined>): Promise<PartnerCaller | undefined> {
    // What is found while credentials change goes into the map that is forgotten with the change.
    const remembered = this.#known;
    const salted = hash('sha256', this.#salt + credential);
    const known = remembered.get(salted);
    if (known !== undefined) return known;
    const found = await look();
    if (found !== undefined) remembered.set(salted, found);
    return found;
  }

  /** Credentials changed: what was remembered may no longer hold. */
  forget(): void {
    this.#known = nothing();
  }
}
