import { Remembered, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import { operatorSecretsView } from './operator-token.view.js';

type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

/** Tokens in the cache, in each of the map's two generations. */
const REMEMBERED = 1_000;

/** Finds the holder of an operator's or auditor's token by its keyed hash. It caches holders until a token changes. */
export class OperatorTokens {
  readonly #remembered: Remembered<OperatorCaller>;

  constructor(private readonly engine: Pick<Engine, 'views' | 'keyring' | 'changes'>) {
    this.#remembered = new Remembered(engine.changes, operatorSecretsView, REMEMBERED);
  }

  find(token: string): Promise<OperatorCaller | undefined> {
    const hash = this.engine.keyring.hash('operator-token', token);
    return this.#remembered.find(hash, () => this.#look(hash));
  }

  async #look(hash: string): Promise<OperatorCaller | undefined> {
    const found = await this.engine.views.reader(operatorSecretsView).get(hash);
    if (found === undefined) return undefined;
    const { id, name, role } = found.row;
    return { kind: 'operator', id, name, role, credential: hash };
  }
}
