import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * One live row per secret. A secret that is destroyed, or replaced by one of another length, leaves its row with its bytes
 * overwritten by as many zeros; one of the same length overwrites it. SQLite then writes in place, as with the keys of
 * persons: no row changes its size or moves, so no page keeps an old copy.
 */
export class VaultTable {
  readonly #select: StatementSync;
  readonly #overwrite: StatementSync;
  readonly #bury: StatementSync;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('SELECT sealed FROM vault WHERE name = ? AND live = 1');
    this.#overwrite = database.prepare(
      'UPDATE vault SET sealed = ?1 WHERE name = ?2 AND live = 1 AND length(sealed) = length(?1)',
    );
    this.#bury = database.prepare(
      'UPDATE vault SET sealed = zeroblob(length(sealed)), live = 0 WHERE name = ? AND live = 1',
    );
    this.#insert = database.prepare('INSERT INTO vault (name, live, sealed) VALUES (?, 1, ?)');
  }

  get(name: string): Uint8Array | undefined {
    return this.#select.get(name)?.['sealed'] as Uint8Array | undefined;
  }

  put(name: string, sealed: Uint8Array): void {
    if (this.#overwrite.run(sealed, name).changes === 1) return;
    this.#bury.run(name);
    this.#insert.run(name, sealed);
  }

  destroy(name: string): void {
    this.#bury.run(name);
  }
}
