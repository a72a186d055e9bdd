import type { Engine } from '#eventsourcing';
import { CredentialCache, type PartnerCaller } from './credential-cache.js';
import { partner } from './partner.decider.js';
import { apiKeysView } from './partner.view.js';

/** Finds the partner of an API key by the key's keyed hash. Comparing hashes leaves no timing that helps to guess a key. */
export class PartnerKeys {
  readonly #known: CredentialCache;

  constructor(private readonly engine: Pick<Engine, 'views' | 'keyring' | 'loop' | 'changes' | 'randomness'>) {
    this.#known = new CredentialCache(engine, apiKeysView);
  }

  find(apiKey: string): Promise<PartnerCaller | undefined> {
    return this.#known.find(apiKey, () => this.#look(apiKey));
  }

  async #look(apiKey: string): Promise<PartnerCaller | undefined> {
    const { keyring, views, loop } = this.engine;
    const found = await views.reader(apiKeysView).get(keyring.hash('api-key', apiKey));
    if (found === undefined) return undefined;
    const { partner_id: id, key_id } = found.row;
    const { slug } = await loop.read(partner, id);
    return { kind: 'partner', id, name: slug, credential: key_id, key: key_id };
  }
}
