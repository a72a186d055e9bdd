import type { View } from '#kernel';
import { thisMachine } from '#adapters/machine';
import type { Time, Timer, ViewReader, ViewReaders } from '#eventsourcing/ports';
import { makePrivateFolder } from '../private-folder.js';
import { EmbeddedViewReader } from './view-reader.js';

/**
 * A read transaction is kept open over many reads, which makes a read of one row about a fifth faster, but for no more than so many
 * milliseconds: as long as it is open, the write-ahead log cannot begin anew.
 */
const HELD_FOR = 10;

/** Reads the views of a folder beside the thread that writes them. */
export class EmbeddedViewReaders implements ViewReaders {
  private readonly readers = new Map<View, EmbeddedViewReader<object>>();
  private renewal: Timer | undefined;

  private constructor(
    private readonly folder: string,
    private readonly time: Time,
  ) {}

  /** Makes the folder when there is none. */
  static open(folder: string, { time } = thisMachine): EmbeddedViewReaders {
    makePrivateFolder(folder);
    return new EmbeddedViewReaders(folder, time);
  }

  reader<Row extends object>(view: View<Row>): ViewReader<Row> {
    let reader = this.readers.get(view);
    if (reader === undefined) {
      reader = new EmbeddedViewReader<Row>(this.folder, view, () => this.renewSoon());
      this.readers.set(view, reader);
    }
    // The view that it was found by says what its rows are.
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
