import { type Reader, Unavailable } from '#eventsourcing';
import type { Authenticator, BrowserSessions } from '#http';
import type { Position, View } from '#kernel';
import { operatorSecretsView } from '#operations/model';
import { apiKeysView, v3PasswordsView } from '#partners/model';
import { accessTokensView } from '#people/model';
import { roleInFiles } from './first-start/tokens.js';
import type { Service } from './service.js';

/**
 * Finds callers by their credentials, in the views.
 * @param dataDir has the files of the first tokens
 */
export function authenticatorOf(service: Service, dataDir: string): Authenticator & Pick<BrowserSessions, 'find'> {
  const { partnerKeys, partnerPasswords, keyUses, accessTokens, operatorTokens, operatorTokenUses, consoleSessions } =
    service;
  const unknown = new UnknownCredentials(service.engine.reader, service.guard);
  const operator: Authenticator['operator'] = async (token) => {
    const found = await unknown.surely(operatorSecretsView, () => operatorTokens.find(token));
    if (found !== undefined) operatorTokenUses.note(found.id);
    return found;
  };
  return {
    async partner(apiKey) {
      const found = await unknown.surely(apiKeysView, () => partnerKeys.find(apiKey));
      if (found?.key !== undefined && found.suspended !== true) keyUses.note(found.id, found.key);
      return found;
    },
    partnerV3: (username, password) => unknown.surely(v3PasswordsView, () => partnerPasswords.find(username, password)),
    async userToken(secret) {
      const found = await unknown.surely(accessTokensView, () => accessTokens.find(secret));
      if (found === undefined) return undefined;
      const { partner_id, key_id, ...token } = found;
      const holder = await partnerKeys.holderOf(partner_id, key_id);
      if (holder === undefined) return undefined;
      const { id, name, suspended } = holder;
      return { kind: 'partner', id, name, credential: token.id, token, ...(suspended === true && { suspended }) };
    },
    operator,
    async find(session) {
      const credential = await consoleSessions.find(session);
      if (credential === undefined) return undefined;
      const holder = await unknown.surely(operatorSecretsView, () => operatorTokens.holderOf(credential));
      // Its token was revoked, or has ended.
      if (holder === undefined) await consoleSessions.end(session);
      else operatorTokenUses.note(holder.id);
      return holder;
    },
    monitor: (token) =>
      operator(token).catch((error: unknown) => {
        // Whatever hinders the look, such as a view that is gone: health must say so.
        const role = roleInFiles(dataDir, token);
        if (role === undefined) throw error;
        return { kind: 'operator', role, id: '', name: role, credential: '' };
      }),
  };
}

/**
 * Says that a credential is unknown only when that is known. A power failure may take the last writes of a view away, so after
 * a start its view may lack a credential until it has seen what the log had at the start. If the log is refused, no view
 * follows it, and its end says nothing: it may be an older copy of ours, or an empty one.
 */
export class UnknownCredentials {
  #atStart: Promise<Position> | undefined;
  readonly #complete = new Set<string>();

  /** @param guard tells whether the log is refused */
  constructor(
    private readonly reader: Reader,
    private readonly guard: { readonly refused: boolean },
  ) {}

  /**
   * @param view the view that the credential is in
   * @param look looks it up
   * @returns what `look` finds; undefined if there is no such credential
   * @throws Unavailable if nobody can know that now
   */
  async surely<Found>(view: View, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const found = await look();
    if (found !== undefined || this.#complete.has(view.name)) return found;
    await this.#awaitComplete(view);
    return look();
  }

  async #awaitComplete(view: View): Promise<void> {
    if (this.guard.refused) throw new Unavailable('the event log needs an operator: see /health/ready', 10);
    const head = await this.#head();
    if ((await this.reader.of(view).position()) < head) await this.reader.until([view], head);
    this.#complete.add(view.name);
  }

  #head(): Promise<Position> {
    this.#atStart ??= this.reader.end().catch((error: unknown) => {
      this.#atStart = undefined;
      throw error;
    });
    return this.#atStart;
  }
}
