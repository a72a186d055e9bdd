import type { View } from '#kernel';
import { thisMachine } from '#adapters/machine';
import type { Time, Timer, ViewDamage, ViewReader, ViewReaders } from '#eventsourcing/ports';
import { makePrivateFolder } from '../private-folder.js';
import { EmbeddedViewReader } from './view-reader.js';

/**
 * How long a read transaction stays open for further reads, in milliseconds. That makes reading one row about a fifth
 * faster; but while it is open, the write-ahead log cannot start again.
 */
const HELD_FOR = 10;

/** Reads the views of a folder while another thread writes them. */
export class EmbeddedViewReaders implements ViewReaders {
  private readonly readers = new Map<View, EmbeddedViewReader<object>>();
  private renewal: Timer | undefined;
  onDamage: ((damage: ViewDamage) => void) | undefined;

  private constructor(
    private readonly folder: string,
    private readonly time: Time,
  ) {}

  /** Opens the folder and makes a missing one. */
  static open(folder: string, { time } = thisMachine): EmbeddedViewReaders {
    makePrivateFolder(folder);
    return new EmbeddedViewReaders(folder, time);
  }

  reader<Row extends object>(view: View<Row>): ViewReader<Row> {
    let reader = this.readers.get(view);
    if (reader === undefined) {
      reader = new EmbeddedViewReader<Row>(this.folder, view, {
        held: () => this.renewSoon(),
        damaged: (damage) => this.onDamage?.(damage),
      });
      this.readers.set(view, reader);
    }
    // The view is the key of the reader, so the rows have its type.
    return reader as ViewReader as ViewReader<Row>;
  }

  refresh(): void {
    this.time.cancel(this.renewal);
    this.renewal = undefined;
    for (const reader of this.readers.values()) reader.release();
  }

  async close(): Promise<void> {
    this.time.cancel(this.renewal);
    for (const reader of this.readers.values()) reader.close();
  }

  private renewSoon(): void {
    this.renewal ??= this.time.after(HELD_FOR, () => this.refresh()).unref();
  }
}
