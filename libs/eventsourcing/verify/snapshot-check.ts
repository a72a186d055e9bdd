import { deserialize, serialize } from 'node:v8';
import type { AnyDecider, StateParts } from '#kernel';
import type { Snapshot, SnapshotStore } from '../ports/snapshot-store.js';
import type { Fold } from '../snapshots/snapshots.js';
import { type Checked, faultAt, type Report } from './fault.js';
import { type KnownStream, stateOf } from './known-streams.js';

/** A state that holds more bytes is not compared: that would need several times as much memory. */
const LARGEST = 64 * 1024 * 1024;

/** Compares stored snapshots with the states that the events lead to. */
export class SnapshotCheck {
  readonly #digests: ReadonlyMap<string, string>;

  constructor(
    private readonly parts: {
      readonly store: Pick<SnapshotStore, 'get'> | undefined;
      readonly folds: readonly Fold[];
      /** The identity of the log. */
      readonly log: string;
      readonly report: Report;
      readonly checked: Checked;
    },
  ) {
    this.#digests = new Map(parts.folds.map(({ decider, digest }) => [decider.category, digest]));
  }

  /** Finds out at which revision a stream has a snapshot. Call it with a stream that was just begun or read. */
  look(known: KnownStream): Promise<void> | undefined {
    if (this.parts.store === undefined || !this.#digests.has(known.decider.category)) return undefined;
    return this.#look(known);
  }

  /** Compares, if the stream has come to its snapshot. */
  reached(known: KnownStream): Promise<void> | undefined {
    return known.snapshotAt === known.revision && known.isWhole ? this.#compare(known) : undefined;
  }

  async #look(known: KnownStream): Promise<void> {
    known.snapshotAt = (await this.#snapshotOf(known))?.revision;
  }

  async #snapshotOf({ stream, decider }: KnownStream): Promise<Snapshot | undefined> {
    const { store, log } = this.parts;
    const digest = this.#digests.get(decider.category);
    if (digest === undefined) return undefined;
    const snapshot = await store?.get({ stream, digest }).catch(() => undefined);
    return snapshot?.log === log ? snapshot : undefined;
  }

  async #compare(known: KnownStream): Promise<void> {
    const { report, checked } = this.parts;
    const snapshot = await this.#snapshotOf(known);
    // A later one took its place meanwhile.
    known.snapshotAt = snapshot?.revision;
    if (snapshot?.revision !== known.revision) return;
    const { decider } = known;
    const state = stateOf(known);
    if (decider.snapshot === undefined || (decider.weigh?.(state) ?? 0) > LARGEST) return;
    checked.snapshots += 1;
    if (isSameState(decider.snapshot, snapshot, state)) return;
    report(faultAt('snapshot', known, `the snapshot of ${known.stream} is not the state that the events lead to`));
  }
}

/** Whether a snapshot holds a state. The order of a map's entries does not count. */
function isSameState(form: NonNullable<AnyDecider['snapshot']>, snapshot: Snapshot, state: unknown): boolean {
  try {
    const stored = entriesOf(form, form.from(snapshot.parts.map((part) => deserialize(part) as unknown)));
    // A part of the state becomes what it would be in a snapshot.
    const own = entriesOf(
      form,
      form.from([...form.parts(state)].map((part) => deserialize(serialize(part)) as unknown)),
    );
    return stored.length === own.length && stored.every((each, at) => each === own[at]);
  } catch {
    return false;
  }
}

/** All values of a state's parts as texts, sorted: how many entries a part has, and their order, says nothing. */
function entriesOf(form: StateParts<unknown>, state: unknown): readonly string[] {
  return [...form.parts(state)].flatMap((part) => textsOf(part, '')).toSorted();
}

function textsOf(value: unknown, path: string): readonly string[] {
  if (ArrayBuffer.isView(value))
    return [`${path} ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}`];
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !Array.isArray(value[1]))
    return [`${path} ${jsonOf(value)}`];
  const [name, entries] = value as [string, unknown[]];
  return entries.flatMap((entry) => rowsOf(entry).map((row) => `${path}${name} ${jsonOf(row)}`));
}

/** An object of lists of the same length is a table: its rows. Any other value is one. */
function rowsOf(entry: unknown): readonly unknown[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry) || ArrayBuffer.isView(entry)) return [entry];
  const columns = Object.values(entry);
  const lengths = new Set(columns.map((column) => (isList(column) ? column.length : -1)));
  const [length = -1] = lengths;
  if (lengths.size !== 1 || length < 0) return [entry];
  return Array.from({ length }, (_, at) => columns.map((column) => (column as readonly unknown[])[at]));
}

const isList = (value: unknown): value is ArrayLike<unknown> => Array.isArray(value) || ArrayBuffer.isView(value);

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    ArrayBuffer.isView(each) ? Buffer.from(each.buffer, each.byteOffset, each.byteLength).toString('base64') : each,
  );
}
