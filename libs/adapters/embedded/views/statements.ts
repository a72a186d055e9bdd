import type { DatabaseSync, StatementSync } from 'node:sqlite';

const MAX_STATEMENTS = 256;

/**
 * The prepared statements of one connection, by their text. All read integers as bigints, because positions need 64 bits.
 */
export class Statements {
  private prepared = new Map<string, StatementSync>();
  private covered = new Map<string, boolean>();

  constructor(private readonly database: DatabaseSync) {}

  of(sql: string): StatementSync {
    let statement = this.prepared.get(sql);
    if (statement === undefined) {
      // There are few shapes of queries. A caller who makes up endless shapes only causes new preparations.
      if (this.prepared.size >= MAX_STATEMENTS) this.prepared = new Map();
      statement = this.database.prepare(sql);
      statement.setReadBigInts(true);
      this.prepared.set(sql, statement);
    }
    return statement;
  }

  /** Whether an index alone answers the statement: then SQLite reads no row. */
  isCovered(sql: string): boolean {
    let covered = this.covered.get(sql);
    if (covered === undefined) {
      if (this.covered.size >= MAX_STATEMENTS) this.covered = new Map();
      const steps = this.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      covered = steps.every(({ detail }) => String(detail).includes('USING COVERING INDEX'));
      this.covered.set(sql, covered);
    }
    return covered;
  }
}
