import { RowCache, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import { operatorSecretsView, type TokenHolder } from './operator-token.view.js';

type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

/** Tokens in the cache, in each of the map's two generations. */
const CACHED = 1_000;

/** Finds the holder of an operator's or auditor's token by its keyed hash. It caches holders until a token changes. */
export class OperatorTokens {
  readonly #rows: RowCache<TokenHolder>;

  constructor(private readonly engine: Pick<Engine, 'views' | 'keyring' | 'changes'>) {
    this.#rows = new RowCache(engine, operatorSecretsView, CACHED);
  }

  async find(token: string): Promise<OperatorCaller | undefined> {
    const credential = this.engine.keyring.hash('operator-token', token);
    const row = await this.#rows.find(credential);
    return row && { kind: 'operator', id: row.id, name: row.name, role: row.role, credential };
  }
}
