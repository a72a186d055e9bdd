import type { DatabaseSync, StatementSync } from 'node:sqlite';

const MAX_STATEMENTS = 256;

/** The prepared statements of one connection, by their text. All read integers as bigints, for positions need 64 bits. */
export class Statements {
  private prepared = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  of(sql: string): StatementSync {
    let statement = this.prepared.get(sql);
    if (statement === undefined) {
      // Query shapes are few; a caller who makes them up without end only makes us prepare anew.
      if (this.prepared.size >= MAX_STATEMENTS) this.prepared = new Map();
      statement = this.database.prepare(sql);
      statement.setReadBigInts(true);
      this.prepared.set(sql, statement);
    }
    return statement;
  }
}
