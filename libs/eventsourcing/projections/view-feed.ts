import type { Position, Recorded, View } from '#kernel';
import type { RowChange, ViewWriter } from '../ports/view-store.js';

/** A view that the log passes by without touching it writes down how far it has come only after so many positions. */
const REMEMBER_EVERY = 10_000n;

/** One view's way through the log: folds batches in memory and writes each touched row once. */
export class ViewFeed {
  /** Why the view stands still; the others go on. */
  stopped: Error | undefined;
  #position: Position;
  /** The position that the store knows. */
  #stored: Position;

  private constructor(
    readonly view: View,
    private readonly writer: ViewWriter,
    private readonly log: string,
    position: Position,
  ) {
    this.#position = position;
    this.#stored = position;
  }

  static async open(view: View, writer: ViewWriter, log: string): Promise<ViewFeed> {
    const checkpoint = await writer.checkpoint();
    return new ViewFeed(view, writer, log, checkpoint?.position ?? 0n);
  }

  /** The last position that it has seen, with everything written that it changed. */
  get position(): Position {
    return this.#position;
  }

  /**
   * Takes events in log order; those that it has seen are passed over. Returns the changed rows. A handler that throws
   * stops this view before the event that it could not take.
   */
  async take(events: readonly Recorded[]): Promise<readonly RowChange[]> {
    const last = events.at(-1);
    if (this.stopped !== undefined || last === undefined || last.position <= this.#position) return [];
    const touching = events
      .filter((event) => event.position > this.#position && this.view.types.has(event.type))
      .map((event) => ({ event, keys: this.view.keys(event) }));
    const stored = await this.writer.load([...new Set(touching.flatMap(({ keys }) => keys))]);
    const rows = new Map<string, { row: object | undefined; position: Position }>();
    let seen: Recorded = last;
    for (const { event, keys } of touching) {
      try {
        for (const key of keys) {
          const before = rows.has(key) ? rows.get(key)?.row : stored.get(key)?.row;
          const row = this.view.apply(before, event, key);
          if (row !== before) rows.set(key, { row, position: event.position });
        }
      } catch (error) {
        this.stopped = new Error(`${this.view.name} cannot take ${event.stream}@${event.revision}`, { cause: error });
        const before = events[events.indexOf(event) - 1];
        if (before === undefined || before.position <= this.#position) return [];
        seen = before;
        break;
      }
    }
    const changes = [...rows]
      .filter(([key, { row }]) => row !== undefined || stored.has(key))
      .map(([key, { row, position }]) => ({ key, row, position }));
    this.#position = seen.position;
    if (changes.length > 0 || this.#position - this.#stored >= REMEMBER_EVERY) {
      await this.writer.write(changes, { log: this.log, position: seen.position, event: seen.id });
      this.#stored = seen.position;
    }
    return changes;
  }

  /** Ends the bulk phase of a new generation. */
  finish(): Promise<void> {
    return this.writer.finish();
  }

  close(): Promise<void> {
    return this.writer.close();
  }
}
