import { hash, randomBytes } from 'node:crypto';
import { BoundedMap, Engine } from '#eventsourcing';
import type { Caller } from '#http';
import { partner } from './partner.decider.js';
import { apiKeysView } from './partner.view.js';

type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

/**
 * Finds the partner of an API key by the key's keyed hash: a guess cannot be timed, for what is compared is the hash. What
 * was found is remembered until a credential changes; absence never is. Within this process a salted hash is enough, and
 * much faster than a keyed one: every call of a partner asks for it.
 */
export class PartnerKeys {
  #known = new BoundedMap<string, PartnerCaller>(10_000);
  readonly #salt = randomBytes(32).toString('hex');

  constructor(private readonly engine: Engine) {}

  async find(apiKey: string): Promise<PartnerCaller | undefined> {
    const { keyring, views, loop } = this.engine;
    const salted = hash('sha256', this.#salt + apiKey);
    const known = this.#known.get(salted);
    if (known !== undefined) return known;
    const found = await views.reader(apiKeysView).get(keyring.hash('api-key', apiKey));
    if (found === undefined) return undefined;
    const { partner_id: id, key_id } = found.row;
    const { slug } = await loop.read(partner, id);
    const caller: PartnerCaller = { kind: 'partner', id, name: slug, credential: key_id };
    this.#known.set(salted, caller);
    return caller;
  }

  /** Credentials changed: what was remembered may no longer hold. */
  forget(): void {
    this.#known.clear();
  }
}
