import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ResealedRow, SealedKind, SealedPart } from '#eventsourcing/ports';

/** Rows of a part: so many are read while other requests wait. */
const PART = 250;

/** What the rows of a kind are called, and which of them hold something sealed. */
const OF: Readonly<Record<SealedKind, { readonly [name in 'table' | 'name' | 'sealed' | 'holds']: string }>> = {
  key: { table: 'person_keys', name: 'person', sealed: 'wrapped', holds: 'destroyed = 0' },
  secret: { table: 'vault', name: 'name', sealed: 'sealed', holds: 'live = 1' },
  answer: { table: 'idempotency_records', name: 'record', sealed: 'answer', holds: "state = 'done'" },
};

interface Row {
  readonly id: number;
  readonly name: string;
  readonly sealed: Uint8Array | null;
  readonly key: number;
  readonly holds: number;
}

/**
 * The sealed rows of state.db. A row that is sealed again has as many bytes as before, and so has the number of its key, which is 0
 * or 1: SQLite writes in place, and no page keeps an old copy.
 */
export class SealedRowsTable {
  readonly #parts: Readonly<Record<SealedKind, StatementSync>>;
  readonly #reseal: Readonly<Record<SealedKind, StatementSync>>;

  constructor(database: DatabaseSync) {
    const each = (text: (of: (typeof OF)[SealedKind]) => string): Readonly<Record<SealedKind, StatementSync>> => ({
      key: database.prepare(text(OF.key)),
      secret: database.prepare(text(OF.secret)),
      answer: database.prepare(text(OF.answer)),
    });
    this.#parts = each(
      ({ table, name, sealed, holds }) =>
        `SELECT id, ${name} AS name, ${sealed} AS sealed, key, ${holds} AS holds FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PART}`,
    );
    this.#reseal = each(
      ({ table, name, sealed, holds }) =>
        `UPDATE ${table} SET ${sealed} = ?, key = ? WHERE ${name} = ? AND ${holds} AND ${sealed} = ?`,
    );
  }

  read(kind: SealedKind, after = '0'): SealedPart {
    const found = this.#parts[kind].all(Number(after)) as unknown as readonly Row[];
    return {
      read: found.length,
      rows: found.flatMap(({ name, sealed, key, holds }) =>
        holds === 1 && sealed !== null ? [{ kind, name, sealed: { key, bytes: sealed } }] : [],
      ),
      next: found.length < PART ? undefined : String(found.at(-1)?.id),
    };
  }

  write(rows: readonly ResealedRow[]): void {
    for (const { kind, name, sealed, again } of rows) {
      this.#reseal[kind].run(again.bytes, again.key, name, sealed.bytes);
    }
  }
}
