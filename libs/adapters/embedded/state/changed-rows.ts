import { thisMachine } from '#adapters/machine';
import type { RowKind } from '#backup';
import type { StateRequest } from './messages.js';

/** The most changes that are remembered. */
const MOST = 100_000;

/** A row by its kind and its name. */
export interface RowName {
  readonly kind: RowKind;
  readonly name: string;
}

/**
 * Which rows have changed since somebody began to ask, for a backup that follows. It remembers nothing while nobody asks: when too
 * much has come since the last question, it forgets all of it.
 */
export class ChangedRows {
  #begun: string | undefined;
  #names: RowName[] = [];
  /** How many were forgotten. */
  #before = 0;

  /** Notes what a request may change. */
  note(request: StateRequest): void {
    if (this.#begun === undefined) return;
    // It changes the rows of a person, wherever they are: a backup that follows copies all of them again.
    if (request.op === 'erase-answers') return this.#forget();
    const name = changedBy(request);
    if (name === undefined) return;
    this.#names.push(name);
    if (this.#names.length > MOST) this.#forget();
  }

  #forget(): void {
    this.#begun = undefined;
    this.#names = [];
  }

  /** The rows that have changed since a mark, each once; undefined if not all of them are known. */
  since(mark: string | undefined): { readonly names: readonly RowName[] | undefined; readonly mark: string } {
    const [begun, count] = mark?.split('.') ?? [];
    const isKnown = begun !== undefined && begun === this.#begun;
    if (this.#begun === undefined) {
      this.#begun = thisMachine.randomness.uuid();
      this.#before = 0;
    }
    const now = `${this.#begun}.${this.#before + this.#names.length}`;
    if (!isKnown) return { names: mark === undefined ? [] : undefined, mark: now };
    const names = this.#names.slice(Number(count) - this.#before);
    return { names: [...new Map(names.map((each) => [`${each.kind} ${each.name}`, each])).values()], mark: now };
  }
}

function changedBy(request: StateRequest): RowName | undefined {
  switch (request.op) {
    case 'obtain-key':
    case 'destroy-key':
      return { kind: 'key', name: request.person };
    case 'put-secret':
    case 'destroy-secret':
      return { kind: 'secret', name: request.id };
    case 'begin':
    case 'renew':
    case 'keep':
    case 'free':
      return { kind: 'answer', name: request.record };
    default:
      return undefined;
  }
}
