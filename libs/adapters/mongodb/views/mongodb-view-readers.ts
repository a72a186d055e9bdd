import type { View } from '#kernel';
import type { GenerationRows, ViewReader, ViewReaders } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';
import { MongoDbGenerationRows } from './generation-rows.js';
import { MongoDbViewReader } from './view-reader.js';

/** Reads the views that some process writes with a MongoDbViewStore. */
export class MongoDbViewReaders implements ViewReaders {
  private readonly readers = new Map<View, MongoDbViewReader<object>>();

  constructor(private readonly mongo: MongoDb) {}

  reader<Row extends object>(view: View<Row>): ViewReader<Row> {
    let reader = this.readers.get(view);
    if (reader === undefined) {
      reader = new MongoDbViewReader<Row>(this.mongo, view);
      this.readers.set(view, reader);
    }
    // The view is the key of the reader, so the rows have its type.
    return reader as ViewReader as ViewReader<Row>;
  }

  generation(view: View, number: number): GenerationRows {
    return new MongoDbGenerationRows(this.mongo, view, number);
  }

  refresh(): void {
    for (const reader of this.readers.values()) reader.refresh();
  }

  /** MongoDb owns the connection and closes it. */
  async close(): Promise<void> {}
}
