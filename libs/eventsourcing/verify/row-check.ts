import type { Position, Recorded, View } from '#kernel';
import type { ViewReader } from '../ports/view-store.js';
import { type Checked, type Report } from './fault.js';
import { isIn, type Part } from './part.js';
import { differsIn, isSameJson } from './same-json.js';

/** How often a row is looked at again that changes while it is compared, or whose view may be behind. */
const ROUNDS = 20;

/** What it needs of the reader of a view. */
export type RowReader = Pick<ViewReader, 'get' | 'texts' | 'position'>;

/** A row as the events lead to it. */
interface Folded {
  /** undefined for a row that was removed while rows were compared. */
  row: object | undefined;
  /** The position of the last event that changed it. */
  changed: Position;
}

/** A view, its stored rows, and its rows of this part as the events lead to them. */
interface CheckedView {
  readonly view: View;
  readonly reader: RowReader;
  readonly rows: Map<string, Folded>;
  /** How far the view had come at least when it was looked at last. */
  least: Position;
  /** Why it is not compared; undefined while it is. */
  without: string | undefined;
}

/** A stored row that was not the folded one. It was stored at some position between these, which another event may have changed. */
interface Doubt {
  readonly key: string;
  /** Both the view and the fold had come so far at least. */
  readonly since: Position;
  /** The view had come so far at most. */
  readonly seen: Position;
}

/** Folds the rows of views again from the first event, and compares them with the stored ones. */
export class RowCheck {
  readonly #views: readonly CheckedView[];
  readonly #byType = new Map<string, CheckedView[]>();
  #position: Position = 0n;
  /** Once rows are compared, removed ones are remembered. */
  #isComparing = false;

  constructor(
    private readonly parts: {
      readonly views: readonly { readonly view: View; readonly reader: RowReader }[];
      readonly part: Part;
      readonly report: Report;
      readonly checked: Checked;
      /** Lets others have their turn, and readers see what was written last. */
      readonly between: () => Promise<void>;
      /** Waits a moment for views that are behind. */
      readonly wait: () => Promise<void>;
    },
  ) {
    this.#views = parts.views.map(({ view, reader }) => ({
      view,
      reader,
      rows: new Map(),
      least: 0n,
      without: undefined,
    }));
    for (const each of this.#views) {
      for (const type of each.view.types) this.#byType.set(type, [...(this.#byType.get(type) ?? []), each]);
    }
  }

  /** The views that were not compared, each with the reason. */
  get without(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.#views.flatMap(({ view, without }) => (without === undefined ? [] : [[view.name, without]])),
    );
  }

  /** How many rows of this part each compared view has by its events, and up to which position. */
  get sizes(): ReadonlyMap<string, number> {
    return new Map(
      this.#views.flatMap(({ view, rows, without }) => {
        if (without !== undefined) return [];
        let size = 0;
        for (const { row } of rows.values()) if (row !== undefined) size += 1;
        return [[view.name, size] as const];
      }),
    );
  }

  /** Takes the next event of the log. @param event as this build reads it; undefined if it cannot */
  take(stored: Recorded, event: Recorded | undefined): undefined {
    this.#position = stored.position;
    if (event === undefined) {
      for (const each of this.#views) each.without ??= `${stored.stream}@${stored.revision} cannot be read`;
      return;
    }
    for (const each of this.#byType.get(event.type) ?? []) {
      if (each.without === undefined) this.#fold(each, event);
    }
  }

  #fold(each: CheckedView, event: Recorded): void {
    const { view, rows } = each;
    try {
      for (const key of once(view.keys(event))) {
        if (!isIn(this.parts.part, key)) continue;
        const folded = rows.get(key);
        const row = view.apply(folded?.row, event, key);
        if (row === folded?.row) continue;
        if (row === undefined && !this.#isComparing) rows.delete(key);
        else if (folded === undefined) rows.set(key, { row, changed: event.position });
        else {
          folded.row = row;
          folded.changed = event.position;
        }
      }
    } catch {
      each.without = `${event.stream}@${event.revision} cannot be folded`;
    }
  }

  /**
   * Compares all rows. A row that changes meanwhile is compared again when the events were folded so far.
   * @param advance folds the events up to this position
   */
  async compare(advance: (position: Position) => Promise<void>): Promise<void> {
    this.#isComparing = true;
    let doubts = new Map<CheckedView, readonly Doubt[]>();
    for (const each of this.#views) {
      if (each.without === undefined) doubts.set(each, await this.#compareAll(each));
    }
    for (let round = 0; round < ROUNDS && [...doubts.values()].some((list) => list.length > 0); round += 1) {
      const seen = [...doubts.values()]
        .flat()
        .reduce((most, doubt) => (doubt.seen > most ? doubt.seen : most), this.#position);
      if (round > 0) await this.parts.wait();
      await advance(seen);
      await this.parts.between();
      const next = new Map<CheckedView, readonly Doubt[]>();
      for (const [each, list] of doubts) next.set(each, await this.#compareAgain(each, list));
      doubts = next;
    }
    for (const [each, { length }] of doubts)
      if (length > 0) each.without ??= `${length} rows changed while they were compared`;
  }

  async #compareAll(each: CheckedView): Promise<readonly Doubt[]> {
    const { checked, between } = this.parts;
    const doubts: Doubt[] = [];
    try {
      // The stored position of a view that no event touches may be far behind.
      each.least = await each.reader.position();
    } catch {
      each.without = 'it is being built';
      return [];
    }
    for (const keys of inChunks(each.rows.keys())) {
      for (const key of await this.#otherThan(each, keys)) {
        const doubt = await this.#look(each, key);
        if (doubt !== undefined) doubts.push(doubt);
      }
      checked.rows += keys.length;
      await between();
    }
    return doubts;
  }

  /** The keys of those rows whose stored text is not exactly that of the folded one. */
  async #otherThan(each: CheckedView, keys: readonly string[]): Promise<readonly string[]> {
    const { reader, rows } = each;
    try {
      const texts = await reader.texts(keys);
      return keys.filter((key) => {
        const text = texts.get(key);
        return text === undefined || text !== JSON.stringify(rows.get(key)?.row);
      });
    } catch {
      each.without ??= 'it cannot be read';
      return [];
    }
  }

  async #compareAgain(each: CheckedView, list: readonly Doubt[]): Promise<readonly Doubt[]> {
    const next: Doubt[] = [];
    for (const { key, since, seen } of list) {
      const changed = each.rows.get(key)?.changed ?? 0n;
      // No event has changed it meanwhile: so the stored row should have been this one.
      if (changed <= since && this.#position >= seen) await this.#differs(each, key);
      else {
        const again = await this.#look(each, key);
        if (again !== undefined) next.push(again);
      }
    }
    return next;
  }

  async #differs({ view, reader, rows }: CheckedView, key: string): Promise<void> {
    const stored = (await reader.get(key))?.row;
    const { row, changed } = rows.get(key) ?? {};
    const what =
      stored === undefined
        ? 'the view lacks this row'
        : row === undefined
          ? 'no event leads to this row'
          : `its ${differsIn(stored, row) ?? 'content'} is not what the events lead to`;
    this.parts.report({ kind: 'row', where: `${view.name} > ${key}`, position: changed?.toString() ?? null, what });
  }

  /** Compares one row by what it says, whatever the order of its names. @returns a doubt if it differs */
  async #look(each: CheckedView, key: string): Promise<Doubt | undefined> {
    const { reader, rows, least } = each;
    const since = least < this.#position ? least : this.#position;
    try {
      const stored = await reader.get(key);
      if (isSameJson(stored?.row, rows.get(key)?.row)) return undefined;
      each.least = await reader.position();
      return { key, since, seen: each.least > this.#position ? each.least : this.#position };
    } catch {
      each.without ??= 'it cannot be read';
      return undefined;
    }
  }
}

/** Rows that are read together, and between two turns for others. */
const CHUNK = 200;

function* inChunks(keys: Iterable<string>): Generator<readonly string[], void, void> {
  let chunk: string[] = [];
  for (const key of keys) {
    if (chunk.push(key) < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Each key once: an event changes a row once. */
function once(keys: readonly string[]): Iterable<string> {
  if (keys.length < 2) return keys;
  // Two keys are common, and a set costs more than all the rest.
  return keys.length === 2 && keys[0] !== keys[1] ? keys : new Set(keys);
}
