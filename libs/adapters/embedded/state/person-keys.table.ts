import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Sealed } from '#eventsourcing/ports';
import { upTo } from '../up-to.js';
import type { PersonPage, StoredKey } from './messages.js';

interface Row {
  readonly wrapped: Uint8Array;
  readonly key: number;
  readonly destroyed: number;
}

/**
 * One row per person, for ever. A destroyed key leaves its row as a tombstone, its bytes overwritten by as many zeros;
 * SQLite then writes them in place. Rows are only added at the end, so no page split moves a row and leaves an old copy of
 * its key behind (deleting rows would, even with `secure_delete`).
 */
export class PersonKeysTable {
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #destroy: StatementSync;
  readonly #bury: StatementSync;
  readonly #list: StatementSync;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('SELECT wrapped, key, destroyed FROM person_keys WHERE person = ?');
    this.#insert = database.prepare('INSERT INTO person_keys (person, wrapped, key, destroyed) VALUES (?, ?, ?, 0)');
    this.#destroy = database.prepare(
      'UPDATE person_keys SET wrapped = zeroblob(length(wrapped)), destroyed = 1 WHERE person = ?',
    );
    this.#bury = database.prepare(`INSERT INTO person_keys (person, wrapped, key, destroyed) VALUES (?, x'', 0, 1)`);
    this.#list = database.prepare(`SELECT id, person FROM person_keys WHERE id > ? ORDER BY id ${upTo('?')}`);
  }

  get(person: string): StoredKey | undefined {
    const row = this.#select.get(person) as Row | undefined;
    if (row === undefined) return undefined;
    if (row.destroyed === 1) return { state: 'destroyed' };
    return { state: 'present', wrapped: { key: row.key, bytes: row.wrapped } };
  }

  obtain(person: string, candidate: Sealed): StoredKey {
    const stored = this.get(person);
    if (stored !== undefined) return stored;
    this.#insert.run(person, candidate.bytes, candidate.key);
    return { state: 'present', wrapped: candidate };
  }

  list(after: number, size: number): PersonPage {
    const rows = this.#list.all(after, size) as { readonly id: number; readonly person: string }[];
    return { persons: rows.map(({ person }) => person), last: rows.at(-1)?.id ?? after };
  }

  destroy(person: string): void {
    if (this.#destroy.run(person).changes === 0) this.#bury.run(person);
  }
}
