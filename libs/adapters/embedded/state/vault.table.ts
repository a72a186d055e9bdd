import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Sealed } from '#eventsourcing/ports';

/**
 * One live row per secret. A destroyed secret, or one replaced by a secret of another length, leaves its row with its bytes
 * overwritten by as many zeros; a secret of the same length and key overwrites the row. SQLite then writes in place, as with
 * persons' keys: no row changes its size or moves, so no page keeps an old copy.
 */
export class VaultTable {
  readonly #select: StatementSync;
  readonly #overwrite: StatementSync;
  readonly #bury: StatementSync;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('SELECT sealed, key FROM vault WHERE name = ? AND live = 1');
    this.#overwrite = database.prepare(
      'UPDATE vault SET sealed = ?1 WHERE name = ?2 AND live = 1 AND key = ?3 AND length(sealed) = length(?1)',
    );
    this.#bury = database.prepare(
      'UPDATE vault SET sealed = zeroblob(length(sealed)), live = 0 WHERE name = ? AND live = 1',
    );
    this.#insert = database.prepare('INSERT INTO vault (name, live, sealed, key) VALUES (?, 1, ?, ?)');
  }

  get(name: string): Sealed | undefined {
    const row = this.#select.get(name) as { readonly sealed: Uint8Array; readonly key: number } | undefined;
    return row && { key: row.key, bytes: row.sealed };
  }

  put(name: string, { bytes, key }: Sealed): void {
    if (this.#overwrite.run(bytes, name, key).changes === 1) return;
    this.#bury.run(name);
    this.#insert.run(name, bytes, key);
  }

  destroy(name: string): void {
    this.#bury.run(name);
  }
}
