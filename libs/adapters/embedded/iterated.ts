import type { SQLInputValue, StatementSync } from 'node:sqlite';

/**
 * Calls with each row of a query, until it returns false. Node throws the error of a failed iteration once more at the statement's
 * next use, whatever that asks for: here it is reported only once.
 */
export function iterated<Row>(
  statement: StatementSync,
  parameters: readonly SQLInputValue[],
  take: (row: Row) => boolean,
): void {
  let isTaken = true;
  try {
    for (const row of statement.iterate(...parameters) as Iterable<unknown> as Iterable<Row>) {
      isTaken = false;
      if (!take(row)) return;
      isTaken = true;
    }
  } catch (error) {
    if (isTaken) clear(statement, parameters);
    throw error;
  }
}

function clear(statement: StatementSync, parameters: readonly SQLInputValue[]): void {
  try {
    statement.get(...parameters);
  } catch {
    // The error that is reported already.
  }
}
