import { KEYS_ENTRY, type Time } from '#eventsourcing';
import type { Position } from '#kernel';
import { ROW_KINDS, type StateRows } from './engine-copies.js';
import type { StateLine } from './state-line.js';

/** A row; or `upto`: with the rows before it, the state covers the log up to this position. `whole`: all rows follow. */
export type StateNews = StateLine | { readonly upto: string } | { readonly whole: true };

/** Milliseconds between two looks at what has changed. */
export const LOOK_EVERY = 250;

/**
 * What is kept beside a log, so that it covers the log up to a position. The entries come first: what they know of the gateway's
 * ledger, the log knows too. Then the head of the log is read, and then every other row: a key is made before its first event.
 * @param options.follow whether changes follow until the signal aborts
 */
export async function* copyState(
  rows: StateRows,
  head: () => Promise<Position>,
  { follow, signal, time }: { readonly follow: boolean; readonly signal: AbortSignal; readonly time: Time },
): AsyncGenerator<StateNews, void, void> {
  const changes = new Changes(rows);
  await changes.begin();
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const isWhole = changes.areLost;
    if (isWhole) yield { whole: true };
    yield* await changes.ofEntries(isWhole);
    const upto = await head();
    for (const kind of isWhole ? ROW_KINDS : []) {
      for (let after: string | undefined; !isOver();) {
        const { lines, next } = await rows.rows(kind, after);
        yield* lines;
        // Meanwhile: only so many changes are remembered.
        yield* await changes.next();
        if (next === undefined) break;
        after = next;
      }
    }
    while (changes.areThere && !changes.areLost) yield* await changes.next();
    // What is not whole must not count as such.
    if (isOver()) return;
    if (changes.areLost) continue;
    // A rotation has gone on meanwhile: a row may be under a key that the copy does not have.
    if (!(await changes.haveKeys())) {
      changes.areLost = true;
      continue;
    }
    yield { upto: upto.toString() };
    if (!follow) return;
    await time.pause(LOOK_EVERY, { signal });
    changes.areThere = true;
  }
}

/** What has changed since it was asked last. */
class Changes {
  /** Whether every row must be read (again). */
  areLost = true;
  areThere = true;
  #mark: string | undefined;
  #entries = new Map<string, string>();

  constructor(private readonly rows: StateRows) {}

  async begin(): Promise<void> {
    ({ mark: this.#mark } = await this.rows.changes(undefined));
  }

  /** The entries that have changed, or all of them. From now on changes are known. */
  async ofEntries(all: boolean): Promise<readonly StateLine[]> {
    if (all) this.#entries = new Map();
    this.areLost = false;
    const lines = await this.rows.entries();
    return lines.filter((line) => {
      if (line.kind !== 'entry' || this.#entries.get(line.name) === line.text) return false;
      this.#entries.set(line.name, line.text);
      return true;
    });
  }

  /** Whether the keys are still those of the copy. */
  async haveKeys(): Promise<boolean> {
    const lines = await this.rows.entries();
    const keys = lines.find((line) => line.kind === 'entry' && line.name === KEYS_ENTRY);
    return keys === undefined || (keys.kind === 'entry' && this.#entries.get(KEYS_ENTRY) === keys.text);
  }

  /** A part of the changed rows. */
  async next(): Promise<readonly StateLine[]> {
    const { lines, mark, more } = await this.rows.changes(this.#mark);
    this.#mark = mark;
    this.areLost ||= lines === undefined;
    this.areThere = more;
    return lines ?? [];
  }
}
