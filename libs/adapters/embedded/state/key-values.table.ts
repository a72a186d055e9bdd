import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Small named texts, one row each. */
export class KeyValueTable {
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #replace: StatementSync;
  readonly #all: StatementSync;
  readonly #clear: StatementSync;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('SELECT value FROM facts WHERE name = ?');
    this.#insert = database.prepare('INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING');
    this.#replace = database.prepare('UPDATE facts SET value = ? WHERE name = ? AND value = ?');
    this.#all = database.prepare('SELECT name, value FROM facts');
    this.#clear = database.prepare('DELETE FROM facts');
  }

  get(name: string): string | undefined {
    return this.#select.get(name)?.['value'] as string | undefined;
  }

  /** The text that is stored now: this one, or an earlier one. */
  insert(name: string, text: string): string {
    this.#insert.run(name, text);
    return this.get(name) ?? text;
  }

  /** Whether the text was `expected` until now. */
  replace(name: string, expected: string, text: string): boolean {
    return this.#replace.run(text, name, expected).changes === 1;
  }

  /**
   * Writes all rows again, into pages that held nothing: a page that was split or filled again may hold old copies of its rows, but
   * SQLite overwrites what a cleared table leaves.
   */
  rewrite(): void {
    const rows = this.#all.all();
    this.#clear.run();
    for (const { name, value } of rows) this.#insert.run(String(name), String(value));
  }
}
