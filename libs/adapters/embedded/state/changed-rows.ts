import { thisMachine } from '#adapters/machine';
import type { RowKind } from '#backup';
import type { StateRequest } from './messages.js';

/** The most changes that are remembered: those of a minute under full load. */
const MOST = 200_000;

/** Changes of a part: so many rows are read while other requests wait. */
const PART = 250;

/** A row by its kind and its name. */
export interface RowName {
  readonly kind: RowKind;
  readonly name: string;
}

/** Rows that have changed. */
export interface ChangedPart {
  readonly names: readonly RowName[] | undefined;
  /** Where the next part begins. */
  readonly mark: string;
  /** Whether there is one already. */
  readonly more: boolean;
}

/**
 * Which rows have changed since somebody began to ask, for a backup that follows: the last ones. While nobody asks, it remembers
 * nothing.
 */
export class ChangedRows {
  /** Identifies all that is remembered; undefined while nobody asks. */
  #begun: string | undefined;
  readonly #names: RowName[] = [];
  /** How many were forgotten, and how many there were at the last question. */
  #before = 0;
  #asked = 0;

  /** Notes what a request may change. */
  note(request: StateRequest): void {
    if (this.#begun === undefined) return;
    const name = changedBy(request);
    if (name !== undefined) this.add(name);
  }

  /** Notes a row that a request has changed which does not name it. */
  add(name: RowName): void {
    if (this.#begun === undefined) return;
    this.#names.push(name);
    if (this.#names.length <= MOST) return;
    if (this.#count - this.#asked > MOST) this.#begun = undefined;
    this.#before += this.#names.splice(0, this.#begun === undefined ? Infinity : MOST / 2).length;
  }

  /** A part of the rows that have changed since a mark, each once; undefined if not all of them are known. */
  since(mark: string | undefined): ChangedPart {
    const [begun, count] = mark?.split('.') ?? [];
    const from = Number(count) - this.#before;
    const isKnown = begun !== undefined && begun === this.#begun && from >= 0;
    this.#begun ??= thisMachine.randomness.uuid();
    this.#asked = this.#count;
    const markAt = (at: number): string => `${this.#begun}.${at}`;
    if (!isKnown) return { names: mark === undefined ? [] : undefined, mark: markAt(this.#asked), more: false };
    const part = this.#names.slice(from, from + PART);
    const names = new Map(part.map((each) => [`${each.kind} ${each.name}`, each]));
    const until = this.#before + from + part.length;
    return { names: [...names.values()], mark: markAt(until), more: until < this.#asked };
  }

  /** How many there were in all. */
  get #count(): number {
    return this.#before + this.#names.length;
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
