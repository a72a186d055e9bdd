import type { MongoDb } from '../mongo-db.js';

/**
 * What each write sets in the documents that a backup copies: a text that no other write sets. A backup that follows finds the
 * documents that have one, and takes away exactly the ones that it has read. So no clock and no order of writes counts: a write
 * that arrives late is found when it arrives.
 */
export class ChangeMarks {
  #begun: string | undefined;
  #count = 0;

  constructor(private readonly mongo: Pick<MongoDb, 'machine'>) {}

  /** The mark of one write. */
  next(): string {
    this.#begun ??= this.mongo.machine.randomness.uuid();
    this.#count += 1;
    return `${this.#begun}.${this.#count}`;
  }
}
