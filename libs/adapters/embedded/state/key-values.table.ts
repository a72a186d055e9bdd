import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Small named texts, one row each. */
export class KeyValueTable {
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #replace: StatementSync;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('SELECT value FROM facts WHERE name = ?');
    this.#insert = database.prepare('INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING');
    this.#replace = database.prepare('UPDATE facts SET value = ? WHERE name = ? AND value = ?');
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
}
