import { BoundedMap, type Engine } from '#eventsourcing';
import type { Caller } from '#http';
import { operatorSecretsView } from './operator.view.js';

type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

const knownCallers = (): BoundedMap<string, OperatorCaller> => new BoundedMap(1_000);

/** Finds the holder of an operator's or auditor's token by its keyed hash. Absence is never remembered. */
export class OperatorTokens {
  #known = knownCallers();

  constructor(private readonly engine: Engine) {}

  async find(token: string): Promise<OperatorCaller | undefined> {
    const { keyring, views } = this.engine;
    // What is found while tokens change goes into the map that is forgotten with the change.
    const remembered = this.#known;
    const hash = keyring.hash('operator-token', token);
    const known = remembered.get(hash);
    if (known !== undefined) return known;
    const found = await views.reader(operatorSecretsView).get(hash);
    if (found === undefined) return undefined;
    const { id, name, role } = found.row;
    const caller: OperatorCaller = { kind: 'operator', id, name, role, credential: hash };
    remembered.set(hash, caller);
    return caller;
  }

  /** Tokens changed: what was remembered may no longer hold. */
  forget(): void {
    this.#known = knownCallers();
  }
}
