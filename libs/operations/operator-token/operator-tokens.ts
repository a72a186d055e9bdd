import { type Clock, RowCache, type Writer, type Reader, type Keyring, type ViewChanges } from '#eventsourcing';
import { Refused, type Caller } from '#http';
import { isoTime } from '#kernel';
import { operatorToken } from './operator-token.decider.js';
import { hasEnded, operatorSecretsView, type TokenHolder } from './operator-token.view.js';

type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

/** Tokens in the cache, in each of the map's two generations. */
const CACHED = 1_000;

/**
 * Finds the holder of an operator's or auditor's token by its keyed hash. Which token it is is remembered until a token changes;
 * whether it was revoked is asked of its own stream at each use, because the view may lag at another process.
 */
export class OperatorTokens {
  readonly #rows: RowCache<TokenHolder>;

  constructor(
    private readonly writer: Writer,
    reader: Reader,
    private readonly keyring: Keyring,
    changes: ViewChanges,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.#rows = new RowCache(reader, changes, operatorSecretsView, CACHED);
  }

  /** @throws Refused if the token was right, and has ended */
  async find(token: string): Promise<OperatorCaller | undefined> {
    const found = await this.#find(this.keyring.hash('operator-token', token));
    if (found === undefined || !hasEnded(found, this.clock.now())) return found?.caller;
    throw new Refused(
      401,
      'auth_failed',
      `this token has ended at ${isoTime(found.expires_at ?? 0)}: an operator can issue another one`,
      { 'www-authenticate': 'Bearer' },
    );
  }

  /** The holder of the token with this keyed hash; undefined if it has ended, too. */
  async holderOf(credential: string): Promise<OperatorCaller | undefined> {
    const found = await this.#find(credential);
    return found === undefined || hasEnded(found, this.clock.now()) ? undefined : found.caller;
  }

  async #find(
    credential: string,
  ): Promise<(Pick<TokenHolder, 'expires_at'> & { readonly caller: OperatorCaller }) | undefined> {
    const row = await this.#rows.find(credential);
    if (row === undefined || (await this.#isRevoked(row.id))) return undefined;
    const { id, name, role, expires_at } = row;
    return { expires_at, caller: { kind: 'operator', id, name, role, credential } };
  }

  /** While the log cannot be asked, what the view knows counts: operators are needed then. */
  async #isRevoked(id: string): Promise<boolean> {
    const { writer } = this;
    try {
      const state = writer.known(operatorToken, id) ?? (await writer.read(operatorToken, id));
      return state.status === 'revoked';
    } catch {
      return false;
    }
  }
}
