import { timingSafeEqual } from 'node:crypto';
import type { Engine } from '#eventsourcing';
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

  constructor(private readonly engine: Pick<Engine, 'views' | 'keyring' | 'loop' | 'changes' | 'randomness'>) {
    this.#known = new CredentialCache(engine, v3PasswordsView, callerOf);
  }

  find(username: string, password: string): Promise<PartnerCaller | undefined> {
    return this.#known.find(JSON.stringify([username, password]), () => this.#look(username, password));
  }

  async #look(username: string, password: string): Promise<FoundPassword | undefined> {
    const { keyring, views } = this.engine;
    const actual = Buffer.from(keyring.hash('v3-password', password));
    const row = (await views.reader(v3PasswordsView).get(username))?.row;
    return row !== undefined && timingSafeEqual(actual, Buffer.from(row.hash)) ? row : undefined;
  }
}

function callerOf({ partner_id: id, hash }: FoundPassword, state: PartnerState): PartnerCaller | undefined {
  // Both are hashes of what is known by now, so their timing reveals nothing.
  if (state.password !== hash) return undefined;
  const { slug, suspended } = state;
  return { kind: 'partner', id, name: slug, credential: `v3:${id}`, ...(suspended && { suspended: true }) };
}
