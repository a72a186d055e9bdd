import { type Writer, type Reader, type Keyring, type ViewChanges, type Randomness } from '#eventsourcing';
import type { ScopeName, TokenAccess } from '#http';
import { CredentialCache, type Found, type PartnerCaller } from './credential-cache.js';
import { keyNamed, keyOf, partner, type PartnerState } from './partner.decider.js';
import { apiKeysView } from './partner.view.js';

interface FoundKey extends Found {
  readonly key_id: string;
}

/** Finds the partner of an API key by the key's keyed hash. Comparing hashes leaves no timing that helps to guess a key. */
export class PartnerKeys {
  readonly #known: CredentialCache<FoundKey>;

  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
    changes: ViewChanges,
    randomness: Randomness,
  ) {
    this.#known = new CredentialCache(writer, changes, randomness, apiKeysView, callerOf);
  }

  find(apiKey: string): Promise<PartnerCaller | undefined> {
    return this.#known.find(apiKey, async () => {
      const { keyring, reader } = this;
      return (await reader.of(apiKeysView).get(keyring.hash('api-key', apiKey)))?.row;
    });
  }

  /** The partner with a key of this id, if it still counts: what the key has issued ends with it (ruling I10). */
  async holderOf(partnerId: string, keyId: string): Promise<PartnerCaller | undefined> {
    const { writer } = this;
    const found = { partner_id: partnerId, key_id: keyId };
    const state = await writer.read(partner, partnerId);
    const isNew = keyOf(state, keyId) === undefined && !state.revoked.includes(keyId);
    // Another process may have issued it a moment ago.
    return callerOf(found, isNew ? await writer.readNow(partner, partnerId) : state);
  }
}

function callerOf({ partner_id: id, key_id }: FoundKey, state: PartnerState): PartnerCaller | undefined {
  const key = keyOf(state, key_id);
  if (key === undefined) return undefined;
  const { name, restriction } = key;
  return {
    kind: 'partner',
    id,
    name: state.slug,
    credential: key_id,
    key: key_id,
    ...(state.suspended && { suspended: true }),
    ...(restriction !== null && {
      restricted: {
        name: keyNamed(name ?? ''),
        // The log has only values that a request was allowed to have.
        scope: restriction.scope as readonly ScopeName[],
        access: restriction.access as readonly TokenAccess[],
      },
    }),
  };
}
