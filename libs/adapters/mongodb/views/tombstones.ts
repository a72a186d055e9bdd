import type { Collection } from 'mongodb';
import type { Position } from '#kernel';
import type { RowDocument } from './row-document.js';

/**
 * How long a tombstone stays, in milliseconds: longer than writes of a replaced writer can be under way. They would bring
 * the row back.
 */
const KEPT_FOR = 60_000;

interface Tombstone {
  readonly key: string;
  readonly position: Position;
  /** By a clock that nobody moves. */
  readonly since: number;
}

/** The tombstones of a generation's removed rows that still exist. The checkpoint has passed all of them. */
export class Tombstones {
  private waiting: Tombstone[] = [];

  constructor(
    private readonly rows: Collection<RowDocument>,
    private readonly now: () => number,
  ) {}

  /** Those that exist. Takes long: it looks at every row. */
  existing(): Promise<readonly RowDocument[]> {
    return this.rows.find({ row: { $exists: false } }, { projection: { position: 1 } }).toArray();
  }

  add(documents: readonly RowDocument[]): void {
    const since = this.now();
    for (const { _id, position, row } of documents) {
      if (row === undefined) this.waiting.push({ key: _id, position, since });
    }
  }

  /** Deletes those that are old enough, unless their rows exist again. */
  async clear(): Promise<void> {
    const until = this.now() - KEPT_FOR;
    const [oldest] = this.waiting;
    if (oldest === undefined || oldest.since > until) return;
    const due = this.waiting.filter(({ since }) => since <= until);
    await this.rows.deleteMany({ _id: { $in: due.map(({ key }) => key) }, row: { $exists: false } });
    this.waiting = this.waiting.slice(due.length);
  }
}
