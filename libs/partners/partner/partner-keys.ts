import { hash, randomBytes } from 'node:crypto';
import { BoundedMap, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import { partner } from './partner.decider.js';
import { apiKeysView } from './partner.view.js';

type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

const knownCallers = (): BoundedMap<string, PartnerCaller> => new BoundedMap(10_000);

/**
 * Finds the partner of an API key by the key's keyed hash: a guess cannot be timed, for what is compared is the hash. What
 * was found is remembered until a credential changes; absence never is. Within this process a salted hash is enough, and
 * much faster than a keyed one: every call of a partner asks for it.
 */
export class PartnerKeys {
  #known = knownCallers();
  readonly #salt = randomBytes(32).toString('hex');

  constructor(private readonly engine: Engine) {}

  async find(apiKey: string): Promise<PartnerCaller | undefined> {
    const { keyring, views, loop } = this.engine;
    // What is found while credentials change goes into the map that is forgotten with the change.
    const remembered = this.#known;
    const salted = hash('sha256', this.#salt + apiKey);
    const known = remembered.get(salted);
    if (known !== undefined) return known;
    const found = await views.reader(apiKeysView).get(keyring.hash('api-key', apiKey));
    if (found === undefined) return undefined;
    const { partner_id: id, key_id } = found.row;
    const { slug } = await loop.read(partner, id);
    const caller: PartnerCaller = { kind: 'partner', id, name: slug, credential: key_id };
    remembered.set(salted, caller);
    return caller;
  }

  /** Credentials changed: what was remembered may no longer hold. */
  forget(): void {
    this.#known = knownCallers();
  }
}
