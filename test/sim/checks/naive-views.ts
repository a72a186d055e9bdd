import type { Recorded, View } from '#kernel';
import { codec, views } from '#platform/model';
import type { ViewsData } from '../world/view-data.js';
import { Violation } from './violation.js';

/** A row, and the position of the event that made it so. */
export interface Row {
  readonly row: object;
  readonly position: bigint;
}

/** The rows that every view must have: each event of the log in turn, by the view's own functions, into a plain map. */
export class NaiveViews {
  readonly #rows: ReadonlyMap<View, Map<string, Row>>;
  #folded = 0;

  /** @param names of the views; all if absent */
  constructor(names?: ReadonlySet<string>) {
    const followed = views.filter(({ name }) => names?.has(name) ?? true);
    this.#rows = new Map(followed.map((view) => [view, new Map<string, Row>()]));
  }

  /** Folds what the log has beyond the events that were folded before. */
  follow(log: readonly Recorded[]): void {
    for (const stored of log.slice(this.#folded)) {
      this.#folded += 1;
      if (!codec.knows(stored.type)) continue;
      const event = codec.decode(stored);
      for (const [view, rows] of this.#rows) {
        if (view.types.has(event.type)) foldInto(rows, view, event);
      }
    }
  }

  /** The rows of a view, by key. */
  of(name: string): ReadonlyMap<string, Row> {
    for (const [view, rows] of this.#rows) if (view.name === name) return rows;
    throw new RangeError(`there is no view ${name}`);
  }

  /** Work that was due before this time, as `list key`. */
  dueBefore(time: number): readonly string[] {
    return [...this.#rows].flatMap(([view, rows]) =>
      'due_at' in view.fields
        ? [...rows]
            .filter(([, { row }]) => (row as { due_at: number }).due_at < time)
            .map(([key]) => `${view.name} ${key}`)
        : [],
    );
  }

  /** A row of the live views that is not as it must be, byte for byte; undefined if there is none. */
  difference(live: ViewsData): Violation | undefined {
    for (const [view, rows] of this.#rows) {
      const stored = live.liveOf(view)?.stored.rows;
      const wrong = (key: string, found: string, expected: string): Violation =>
        new Violation(
          'views equal a fold from the beginning',
          `view ${view.name}, row ${key}`,
          `${found}; expected ${expected}`,
        );
      for (const [key, { row, position }] of rows) {
        const found = stored?.get(key);
        const expected = `${position} ${JSON.stringify(row)}`;
        const there = found === undefined ? 'no row' : `${found.position} ${found.text}`;
        if (there !== expected) return wrong(key, there, expected);
      }
      for (const [key, { text }] of stored ?? []) if (!rows.has(key)) return wrong(key, text, 'no row');
    }
    return undefined;
  }
}

/** Folds an event into the rows of a view, by the view's own functions. */
export function foldInto(rows: Map<string, Row>, view: View, event: Recorded): void {
  for (const key of view.keys(event)) {
    const before = rows.get(key)?.row;
    const row = view.apply(before, event, key);
    if (row === before) continue;
    if (row === undefined) rows.delete(key);
    else rows.set(key, { row, position: event.position });
  }
}
