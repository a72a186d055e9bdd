import { timingSafeEqual } from 'node:crypto';
import { type Writer, type Reader, type Keyring, type ViewChanges, type Randomness } from '#eventsourcing';
import { CredentialCache, type Found, type PartnerCaller } from './credential-cache.js';
import type { PartnerState } from './partner.decider.js';
import { v3PasswordsView } from './partner.view.js';

interface FoundPassword extends Found {
  readonly hash: string;
}

/**
 * Finds the partner of a v3 user name, and compares the keyed hash of the password in constant time (ruling A4). A new
 * password does not change the credential's id.
 */
export class PartnerPasswords {
  readonly #known: CredentialCache<FoundPassword>;

  constructor(
    writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
    changes: ViewChanges,
    randomness: Randomness,
  ) {
    this.#known = new CredentialCache(writer, changes, randomness, v3PasswordsView, callerOf);
  }

  find(username: string, password: string): Promise<PartnerCaller | undefined> {
    return this.#known.find(JSON.stringify([username, password]), () => this.#look(username, password));
  }

  async #look(username: string, password: string): Promise<FoundPassword | undefined> {
    const { keyring, reader } = this;
    const actual = Buffer.from(keyring.hash('v3-password', password));
    const row = (await reader.of(v3PasswordsView).get(username))?.row;
    return row !== undefined && timingSafeEqual(actual, Buffer.from(row.hash)) ? row : undefined;
  }
}

function callerOf({ partner_id: id, hash }: FoundPassword, state: PartnerState): PartnerCaller | undefined {
  // Both are hashes of what is known by now, so their timing reveals nothing.
  if (state.password !== hash) return undefined;
  const { slug, suspended } = state;
  return { kind: 'partner', id, name: slug, credential: `v3:${id}`, ...(suspended && { suspended: true }) };
}
