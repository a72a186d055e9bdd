import { RowCache, type Writer, type Reader, type Keyring, type Clock, type ViewChanges } from '#eventsourcing';
import type { ScopeName, TokenAccess, UserToken } from '#http';
import { user, type UserState } from '../user/user.decider.js';
import { accessToken } from './access-token.decider.js';
import { accessTokensView, type AccessTokenRow } from './access-token.view.js';

/** Tokens in the cache, in each of the map's two generations. */
const CACHED = 10_000;

/** An access token that counts as far as its user is concerned, with its partner and the key that issued it. */
export interface LivingToken extends UserToken {
  readonly partner_id: string;
  readonly key_id: string;
}

/**
 * Finds access tokens by their keyed hash (ruling A7). The view only says which token it is. Whether it has ended is asked of its own
 * stream and of its user's at each use (ruling I10); whoever calls asks the partner's about the key.
 */
export class AccessTokens {
  readonly #rows: RowCache<AccessTokenRow>;

  constructor(
    private readonly writer: Writer,
    reader: Reader,
    private readonly keyring: Keyring,
    private readonly clock: Clock,
    changes: ViewChanges,
  ) {
    this.#rows = new RowCache(reader, changes, accessTokensView, CACHED);
  }

  async find(secret: string): Promise<LivingToken | undefined> {
    const { keyring, clock } = this;
    const row = await this.#rows.find(keyring.hash('access-token', secret));
    if (row === undefined || row.expires_at <= clock.now() || (await this.#hasEnded(row))) return undefined;
    const { token_id: id, user_id, partner_id, key_id } = row;
    // The log has only values that a request was allowed to have.
    const scope = row.scope as readonly ScopeName[];
    const access = row.access as readonly TokenAccess[];
    return { id, user_id, partner_id, key_id, scope, access };
  }

  async #hasEnded({ token_id, user_id, partner_id, generation }: AccessTokenRow): Promise<boolean> {
    const { writer } = this;
    // The view may know of a token, or of its user, what this process does not know yet: then the end of the stream decides.
    const token = (await writer.read(accessToken, token_id)) ?? (await writer.readNow(accessToken, token_id));
    if (token?.ended !== false) return true;
    const known = await writer.read(user, user_id);
    const owner = (known?.token_generation ?? -1) < generation ? await writer.readNow(user, user_id) : known;
    return !isOwner(owner, partner_id) || owner.token_generation !== generation;
  }
}

function isOwner(owner: UserState | null, partnerId: string): owner is UserState {
  return owner?.partner_id === partnerId && !owner.deleted;
}
