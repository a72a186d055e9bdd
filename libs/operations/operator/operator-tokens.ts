import { BoundedMap, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import { operatorSecretsView } from './operator.view.js';

type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

/** Tokens, per generation. */
const REMEMBERED = 1_000;

/** Finds the holder of an operator's or auditor's token by its keyed hash. Absence is never remembered. */
export class OperatorTokens {
  #known = new BoundedMap<string, OperatorCaller>(REMEMBERED);

  constructor(private readonly engine: Engine) {}

  async find(token: string): Promise<OperatorCaller | undefined> {
    const { keyring, views } = this.engine;
    const hash = keyring.hash('operator-token', token);
    // A look-up that is under way when tokens change fills a map that nobody reads any more.
    const remembered = this.#known;
    const known = remembered.get(hash);
    if (known !== undefined) return known;
    const found = await views.reader(operatorSecretsView).get(hash);
    if (found === undefined) return undefined;
    const { name, role } = found.row;
    const caller: OperatorCaller = { kind: 'operator', name, role, credential: hash };
    remembered.set(hash, caller);
    return caller;
  }

  /** Tokens changed: what was remembered may no longer hold. */
  forget(): void {
    this.#known = new BoundedMap(REMEMBERED);
  }
}
