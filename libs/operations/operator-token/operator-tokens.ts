import { RowCache, type Writer, type Reader, type Keyring, type ViewChanges } from '#eventsourcing';
import type { Caller } from '#http';
import { operatorToken } from './operator-token.decider.js';
import { operatorSecretsView, type TokenHolder } from './operator-token.view.js';

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
  ) {
    this.#rows = new RowCache(reader, changes, operatorSecretsView, CACHED);
  }

  find(token: string): Promise<OperatorCaller | undefined> {
    return this.holderOf(this.keyring.hash('operator-token', token));
  }

  /** The holder of the token with this keyed hash. */
  async holderOf(credential: string): Promise<OperatorCaller | undefined> {
    const row = await this.#rows.find(credential);
    if (row === undefined || (await this.#isRevoked(row.id))) return undefined;
    return { kind: 'operator', id: row.id, name: row.name, role: row.role, credential };
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
