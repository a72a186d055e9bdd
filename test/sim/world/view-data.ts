import { Map as ImmutableMap } from 'immutable';
import {
  type Checkpoint,
  type GenerationRows,
  obsoleteVersions,
  PageSize,
  type Query,
  type RowChange,
  type RowText,
  type RowVersion,
  type StoredRow,
  ViewNotReady,
  type Where,
} from '#eventsourcing';
import type { Position, Scalar, View } from '#kernel';
import { compare, fieldsOf, type FieldValues, inOrderOf, matches } from './matches.js';

interface Entry {
  readonly key: string;
  readonly text: string;
  readonly position: bigint;
  readonly values: FieldValues;
}

/** What one generation has stored at one moment. */
export interface Stored {
  readonly rows: ImmutableMap<string, Entry>;
  /** The positions of removed rows: an older change does not bring them back. */
  readonly removed: ImmutableMap<string, bigint>;
  readonly checkpoint: Checkpoint | undefined;
}

const EMPTY: Stored = { rows: ImmutableMap(), removed: ImmutableMap(), checkpoint: undefined };

/** One generation of a view. */
export class GenerationData {
  stored = EMPTY;
  finished = false;
  /** Raised by each writer that opens it: an earlier one may write no more. */
  writers = 0;

  constructor(
    readonly view: View,
    readonly number: number,
    readonly log: string,
  ) {}

  load(keys: readonly string[]): ReadonlyMap<string, StoredRow> {
    const found = new Map<string, StoredRow>();
    for (const key of keys) {
      const entry = this.stored.rows.get(key);
      if (entry !== undefined) found.set(key, rowOf(entry));
    }
    return found;
  }

  /** The rows and then the checkpoint, or nothing. @throws what a field of a row throws */
  write(changes: readonly RowChange[], checkpoint: Checkpoint): void {
    let { rows, removed } = this.stored;
    for (const { key, row, position } of changes) {
      const before = rows.get(key)?.position ?? removed.get(key) ?? -1n;
      if (position < before) continue;
      if (row === undefined) {
        rows = rows.delete(key);
        removed = removed.set(key, position);
      } else {
        const text = JSON.stringify(row);
        rows = rows.set(key, { key, text, position, values: fieldsOf(this.view, row) });
        removed = removed.delete(key);
      }
    }
    const now = this.stored.checkpoint?.position ?? 0n;
    this.stored = { rows, removed, checkpoint: checkpoint.position < now ? this.stored.checkpoint : checkpoint };
  }
}

/** Reads of one moment of a generation. */
export function getRow({ rows }: Stored, key: string): StoredRow | undefined {
  const entry = rows.get(key);
  return entry && rowOf(entry);
}

/** The rows of a generation, each read at its moment; nothing while it is not finished. */
export function generationRowsOf(view: View, find: () => Promise<GenerationData | undefined>): GenerationRows {
  const stored = async (): Promise<Stored> => {
    const found = await find();
    if (found?.finished !== true) throw new ViewNotReady(view.name);
    return found.stored;
  };
  const textOf = ({ key, text, position }: { key: string; text: string; position: Position }): RowText => ({
    ...{ key, text, position },
  });
  return {
    async after(key, most) {
      const rows = [...(await stored()).rows.values()].toSorted((one, other) => byBytes(one.key, other.key));
      return rows
        .filter((row) => key === undefined || byBytes(row.key, key) > 0)
        .slice(0, most)
        .map(textOf);
    },
    async withKeys(keys) {
      const { rows } = await stored();
      return keys.flatMap((key) => rows.get(key) ?? []).map(textOf);
    },
    position: async () => (await stored()).checkpoint?.position ?? 0n,
    size: async () => (await stored()).rows.size,
    close: () => undefined,
  };
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

export function textsOf({ rows }: Stored, keys: readonly string[]): ReadonlyMap<string, string> {
  const found = keys.map((key) => rows.get(key)).filter((entry) => entry !== undefined);
  return new Map(found.map(({ key, text }) => [key, text]));
}

export function findRows({ rows }: Stored, { where, sort, page, perPage, ahead = 0, most }: Query): StoredRow[] {
  const from = (page - 1) * perPage;
  const size = new PageSize(most);
  return [...rows.values()]
    .filter((entry) => matches(entry, where))
    .sort(inOrderOf(sort))
    .slice(from, from + perPage + ahead)
    .map((entry) => {
      size.take(entry.text.length);
      return rowOf(entry);
    });
}

export function versionsOf(stored: Stored, query: Query): RowVersion[] {
  const { most: _, ...page } = query;
  return findRows(stored, page).map(({ key, position }) => ({ key, position }));
}

export function countRows({ rows }: Stored, where: Where): number {
  let count = 0;
  for (const entry of rows.values()) if (matches(entry, where)) count += 1;
  return count;
}

export function leastOf({ rows }: Stored, field: string, where: Where): Scalar | undefined {
  const found = [...rows.values()].filter((entry) => matches(entry, where));
  if (found.length === 0) return undefined;
  const all = found.flatMap(({ values }) => values[field] as readonly Scalar[]).filter((value) => value !== null);
  return all.sort(compare)[0] ?? null;
}

function rowOf({ key, text, position }: Entry): StoredRow {
  return { key, row: JSON.parse(text) as object, position };
}

/** The generations of all views of an installation. */
export class ViewsData {
  readonly generations: GenerationData[] = [];
  /** The live generation of each view and version. */
  readonly live = new Map<string, number>();
  /** How often a generation of each view and version was promoted, or a projector asked which ones there are. */
  readonly #promotions = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  readonly #listeners: ((generation: GenerationData) => void)[] = [];
  readonly #mourners: ((generation: GenerationData) => void)[] = [];

  of(view: View): readonly GenerationData[] {
    return this.generations.filter((each) => nameOf(each.view) === nameOf(view));
  }

  find(view: View, number: number): GenerationData | undefined {
    return this.of(view).find((each) => each.number === number);
  }

  liveOf(view: View): GenerationData | undefined {
    const number = this.live.get(nameOf(view));
    return number === undefined ? undefined : this.find(view, number);
  }

  begin(view: View, log: string): GenerationData {
    const number = (this.#numbers.get(nameOf(view)) ?? 0) + 1;
    this.#numbers.set(nameOf(view), number);
    const generation = new GenerationData(view, number, log);
    this.generations.push(generation);
    return generation;
  }

  /** Calls with every generation that goes live, before it does. */
  onPromoted(listener: (generation: GenerationData) => void): void {
    this.#listeners.push(listener);
  }

  promote(view: View, number: number): void {
    const generation = this.find(view, number);
    if (generation !== undefined) for (const listener of this.#listeners) listener(generation);
    if (this.find(view, number)?.finished !== true) throw missing(view, number);
    this.live.set(nameOf(view), number);
    this.countPromotion(view);
  }

  /** From now on, a change that was asked for before, and compares this count, does nothing. */
  countPromotion(view: View): void {
    this.#promotions.set(nameOf(view), this.promotionsOf(view) + 1);
  }

  promotionsOf(view: View): number {
    return this.#promotions.get(nameOf(view)) ?? 0;
  }

  /** Calls with every live generation that is dropped, before it is. */
  onLiveDropped(listener: (generation: GenerationData) => void): void {
    this.#mourners.push(listener);
  }

  drop(view: View, number: number): void {
    const live = this.liveOf(view);
    if (live?.number === number) for (const listener of this.#mourners) listener(live);
    const index = this.generations.findIndex((each) => nameOf(each.view) === nameOf(view) && each.number === number);
    if (index !== -1) this.generations.splice(index, 1);
    if (this.live.get(nameOf(view)) === number) this.live.delete(nameOf(view));
  }

  /** Drops the versions of a view that no build needs any more, once this one is live. */
  dropObsolete(view: View): void {
    if (this.liveOf(view) === undefined) return;
    const others = this.generations.filter((each) => each.view.name === view.name);
    const versions = others.map((each) => each.view.version);
    const obsolete = obsoleteVersions([...versions, view.version], view.version);
    for (const each of others) if (obsolete.includes(each.view.version)) this.drop(each.view, each.number);
  }
}

export function missing({ name }: View, number: number): Error {
  return new Error(`the view ${name} has no finished generation ${number}`);
}

function nameOf({ name, version }: View): string {
  return `${name}.v${version}`;
}
