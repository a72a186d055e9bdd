import { timingSafeEqual } from 'node:crypto';
import type { Engine } from '#eventsourcing';
import { CredentialCache, type PartnerCaller } from './credential-cache.js';
import { v3PasswordsView } from './partner.view.js';

/**
 * Finds the partner of a v3 user name, and compares the keyed hash of the password in constant time (ruling A4). A new
 * password does not change the credential's id.
 */
export class PartnerPasswords {
  readonly #known: CredentialCache;

  constructor(private readonly engine: Pick<Engine, 'views' | 'keyring' | 'changes' | 'randomness'>) {
    this.#known = new CredentialCache(engine, v3PasswordsView);
  }

  find(username: string, password: string): Promise<PartnerCaller | undefined> {
    return this.#known.find(JSON.stringify([username, password]), () => this.#look(username, password));
  }

  async #look(username: string, password: string): Promise<PartnerCaller | undefined> {
    const { keyring, views } = this.engine;
    const actual = Buffer.from(keyring.hash('v3-password', password));
    const found = await views.reader(v3PasswordsView).get(username);
    if (found === undefined || !timingSafeEqual(actual, Buffer.from(found.row.hash))) return undefined;
    const { partner_id: id } = found.row;
    return { kind: 'partner', id, name: username, credential: `v3:${id}` };
  }
}
