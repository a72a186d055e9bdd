import type { Seeded } from './seeded.js';

/** So many of a kind are nearly always chosen. */
const FIRST = 5;

/** Chooses among happenings of many kinds: the more of a kind there were, the more seldom, so that rare kinds are chosen too. */
export class EachKind {
  readonly #seen = new Map<string, number>();

  constructor(private readonly random: Seeded) {}

  /** Whether this one is chosen, the next of its kind. */
  chooses(kind: string): boolean {
    const before = this.#seen.get(kind) ?? 0;
    this.#seen.set(kind, before + 1);
    return this.random.chance(FIRST / (FIRST + before));
  }
}
