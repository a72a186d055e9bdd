import { causationOf, type Field, type Instant, type Position, type Recorded, type View } from '#kernel';
import { type Unreadable, UnreadableEvent } from '../events/codec.js';
import type { Checkpoint, RowChange, StoredRow, ViewWriter } from '../ports/view-store.js';

/** An event that changes a view, and the keys of the rows that it changes. */
interface Touch {
  readonly event: Recorded;
  readonly keys: readonly string[];
}

/** A row after the events so far; `row` undefined means removed. */
interface Folded {
  readonly row: object | undefined;
  readonly position: Position;
}

/** An event that the view cannot take. */
interface Poison {
  readonly event: Recorded;
  readonly error: unknown;
}

/** How far a feed had come when its projector broke. It says that no event between the two changes a row. */
export interface SeenByFeed {
  /** The stored checkpoint; undefined if there was none. */
  readonly written: Checkpoint | undefined;
  readonly last: Checkpoint;
}

const NO_ROWS: ReadonlyMap<string, StoredRow> = new Map();

/** If no event touches the view, it writes its checkpoint only after this many events. */
const REMEMBER_EVERY = 10_000;
/** The same for a distance in the log: on a server that others use, their events between would be searched again. */
const REMEMBER_AFTER = 16n * 1024n * 1024n;

/** Feeds one view: folds batches in memory and writes each touched row once. */
export class ViewFeed {
  /** Why the view has stopped; the others continue. */
  stopped: Error | undefined;
  #poison: Recorded | undefined;
  #position: Position;
  #time: Instant;
  #taken = 0;
  readonly #fields: readonly Field<object>[];
  /** Events seen since the last written checkpoint. */
  #unremembered = 0;
  #written: Checkpoint | undefined;
  #last: Checkpoint | undefined;

  private constructor(
    readonly view: View,
    private readonly writer: ViewWriter,
    private readonly log: string,
    written: Checkpoint | undefined,
    time: Instant,
  ) {
    this.#written = written;
    this.#position = written?.position ?? 0n;
    this.#time = time;
    this.#fields = Object.values(view.fields);
  }

  /** @param time of the event at the writer's checkpoint */
  static async open(view: View, writer: ViewWriter, log: string, time: Instant = 0): Promise<ViewFeed> {
    const checkpoint = await writer.checkpoint();
    return new ViewFeed(view, writer, log, checkpoint, time);
  }

  /** What a feed of the same rows may go on from; undefined if this one has seen no event. */
  get seen(): SeenByFeed | undefined {
    return this.#last === undefined ? undefined : { written: this.#written, last: this.#last };
  }

  /**
   * Goes on after what an earlier feed had seen, if that one left these very rows.
   * @param event the log's event at that position
   */
  goOnFrom({ written, last }: SeenByFeed, event: Recorded): void {
    if (event.id !== last.event || !isSame(written, this.#written)) return;
    if (event.position > this.#position) this.#reached(event, 0);
  }

  /** Our time of the event at `position`; 0 before the first one. */
  get time(): Instant {
    return this.#time;
  }

  /** Events seen since it was opened. */
  get taken(): number {
    return this.#taken;
  }

  /** The last position that it has seen. Everything up to it is written. */
  get position(): Position {
    return this.#position;
  }

  /**
   * Goes by events none of which concerns the view: as `take`, but at once.
   * @param types of the events, each once
   * @returns whether it did; otherwise `take` must
   */
  passes(events: readonly Recorded[], types: readonly string[]): boolean {
    const last = events.at(-1);
    if (this.stopped !== undefined || last === undefined) return false;
    if (types.some((type) => this.view.types.has(type))) return false;
    const count = countAfter(events, this.#position);
    if (this.#unremembered + count >= REMEMBER_EVERY || this.#isFar(last)) return false;
    this.#unremembered += count;
    if (count > 0) this.#reached(last, count);
    return true;
  }

  /**
   * Takes events in log order, skips those that it has seen, and returns the changed rows. An event that it cannot take
   * (because of the handler, the keys or the row's fields) stops the view before that event.
   * @param unreadable events among them that this build cannot read; they stop the view, because nobody can say whether they
   * concern it
   */
  async take(events: readonly Recorded[], unreadable: readonly Unreadable[] = []): Promise<readonly RowChange[]> {
    const last = events.at(-1);
    if (this.stopped !== undefined || last === undefined || last.position <= this.#position) return [];
    const { touching, poison: first } = this.#touched(events, unreadable);
    // Most batches touch few of the views.
    const keys = new Set(touching.flatMap((touch) => touch.keys));
    const stored = keys.size === 0 ? NO_ROWS : await this.writer.load([...keys]);
    const rows = new Map<string, Folded>();
    let poison = first;
    for (const touch of touching) {
      try {
        // All rows of an event or none, because the event comes again when the view continues.
        for (const [key, row] of this.#fold(touch, rows, stored)) {
          rows.set(key, { row, position: touch.event.position });
        }
      } catch (error) {
        poison = { event: touch.event, error };
        break;
      }
    }
    let seen = last;
    let count = countAfter(events, this.#position);
    if (poison !== undefined) {
      const { event, error } = poison;
      this.#poison = event;
      const why = error instanceof UnreadableEvent ? `: ${error.message}` : '';
      this.stopped = new Error(`${this.view.name} cannot take ${causationOf(event)}${why}`, { cause: error });
      const before = events[events.findIndex(({ position }) => position === event.position) - 1];
      if (before === undefined || before.position <= this.#position) return [];
      seen = before;
      count -= countAfter(events, before.position);
    }
    this.#unremembered += count;
    const changes = [...rows]
      .filter(([key, { row }]) => row !== undefined || stored.has(key))
      .map(([key, { row, position }]) => ({ key, row, position, before: stored.get(key)?.row }));
    if (changes.length > 0 || this.#unremembered >= REMEMBER_EVERY || this.#isFar(seen))
      await this.#write(changes, seen);
    this.#reached(seen, count);
    return changes;
  }

  /** The event that stopped the view; undefined while it runs. */
  get stoppedAt(): { readonly position: string; readonly event: string } | undefined {
    const poison = this.#poison;
    return poison && { position: poison.position.toString(), event: causationOf(poison) };
  }

  /** Prepares to take the event again that stopped the view. */
  resume(): void {
    this.stopped = undefined;
    this.#poison = undefined;
  }

  /** Skips the event that stopped the view and writes that to the checkpoint. Returns the event's name. */
  async skip(): Promise<string | undefined> {
    const poison = this.#poison;
    if (poison === undefined) return undefined;
    await this.#write([], poison);
    this.#reached(poison, 1);
    this.resume();
    return causationOf(poison);
  }

  /** Ends the bulk phase of a new generation. */
  finish(): Promise<void> {
    return this.writer.finish();
  }

  close(): Promise<void> {
    return this.writer.close();
  }

  async #write(changes: readonly RowChange[], { position, id }: Recorded): Promise<void> {
    const checkpoint = { log: this.log, position, event: id };
    await this.writer.write(changes, checkpoint);
    this.#written = checkpoint;
    this.#unremembered = 0;
  }

  /** Whether an event is far behind the written checkpoint. */
  #isFar({ position }: Pick<Recorded, 'position'>): boolean {
    return position - (this.#written?.position ?? 0n) > REMEMBER_AFTER;
  }

  #reached({ position, id, metadata }: Recorded, count: number): void {
    this.#position = position;
    this.#last = { log: this.log, position, event: id };
    this.#time = metadata.time;
    this.#taken += count;
  }

  /** The events that change this view and the keys of their rows, up to an event whose keys cannot be found. */
  #touched(
    events: readonly Recorded[],
    unreadable: readonly Unreadable[],
  ): { readonly touching: readonly Touch[]; readonly poison: Poison | undefined } {
    const touching: Touch[] = [];
    const first = unreadable.find(({ event: { position } }) => position > this.#position);
    for (const event of events) {
      if (event.position === first?.event.position) return { touching, poison: first };
      if (event.position <= this.#position || !this.view.types.has(event.type)) continue;
      try {
        touching.push({ event, keys: this.view.keys(event) });
      } catch (error) {
        return { touching, poison: { event, error } };
      }
    }
    return { touching, poison: undefined };
  }

  /** The rows that one event changes, after the event. Skips a row that has seen the event. */
  #fold(
    { event, keys }: Touch,
    rows: ReadonlyMap<string, Folded>,
    stored: ReadonlyMap<string, StoredRow>,
  ): readonly (readonly [string, object | undefined])[] {
    const changed: [string, object | undefined][] = [];
    for (const key of keys) {
      const known = stored.get(key);
      if (known !== undefined && event.position <= known.position) continue;
      const before = rows.has(key) ? rows.get(key)?.row : known?.row;
      const row = this.view.apply(before, event, key);
      if (row === before) continue;
      // The store reads the fields when it writes; one that throws there would stop every view.
      if (row !== undefined) for (const field of this.#fields) field.of(row);
      changed.push([key, row]);
    }
    return changed;
  }
}

function isSame(one: Checkpoint | undefined, other: Checkpoint | undefined): boolean {
  return one?.log === other?.log && one?.position === other?.position && one?.event === other?.event;
}

/** How many of these events, in log order, come after the position. */
function countAfter(events: readonly Recorded[], position: Position): number {
  const first = events.findIndex((event) => event.position > position);
  return first === -1 ? 0 : events.length - first;
}
