import { RowCache, type Engine } from '#eventsourcing';
import type { ScopeName, TokenAccess, UserToken } from '#http';
import { isUserOf } from '../user/is-user-of.js';
import type { AccessTokenIssued } from './access-token.events.js';
import { accessTokensView } from './access-token.view.js';

/** Tokens in the cache, in each of the map's two generations. */
const CACHED = 10_000;

/** An access token that counts, with its partner. */
export interface LivingToken extends UserToken {
  readonly partner_id: string;
}

/** Finds access tokens by their keyed hash (ruling A7). Expired tokens, and those of hidden users, do not count. */
export class AccessTokens {
  readonly #rows: RowCache<AccessTokenIssued>;

  constructor(private readonly engine: Pick<Engine, 'views' | 'keyring' | 'changes' | 'clock' | 'loop'>) {
    this.#rows = new RowCache(engine, accessTokensView, CACHED);
  }

  async find(secret: string): Promise<LivingToken | undefined> {
    const { keyring, clock, loop } = this.engine;
    const row = await this.#rows.find(keyring.hash('access-token', secret));
    if (row === undefined || row.expires_at <= clock.now()) return undefined;
    const { token_id: id, user_id, partner_id } = row;
    if (!(await isUserOf(loop, partner_id, user_id))) return undefined;
    // The log has only words that a request was allowed to have.
    const scope = row.scope as readonly ScopeName[];
    const access = row.access as readonly TokenAccess[];
    return { id, user_id, partner_id, scope, access };
  }
}
