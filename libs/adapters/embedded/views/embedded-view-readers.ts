import type { View } from '#kernel';
import type { ViewReader, ViewReaders } from '#eventsourcing/ports';
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
  private renewal: NodeJS.Timeout | undefined;

  private constructor(private readonly folder: string) {}

  /** Makes the folder when there is none. */
  static open(folder: string): EmbeddedViewReaders {
    makePrivateFolder(folder);
    return new EmbeddedViewReaders(folder);
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
    clearTimeout(this.renewal);
    this.renewal = undefined;
    for (const reader of this.readers.values()) reader.release();
  }

  async close(): Promise<void> {
    clearTimeout(this.renewal);
    for (const reader of this.readers.values()) reader.close();
  }

  private renewSoon(): void {
    this.renewal ??= setTimeout(() => this.refresh(), HELD_FOR).unref();
  }
}
