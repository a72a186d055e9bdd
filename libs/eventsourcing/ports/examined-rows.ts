import { DomainError } from '#kernel';

/** Counts the rows that a query looks at, and refuses one that looks at too many. */
export class ExaminedRows {
  #most = Infinity;
  #left = Infinity;

  /** A query begins. @param most rows that it may look at */
  begin(most = Infinity): void {
    this.#most = most;
    this.#left = most;
  }

  /**
   * Counts more rows.
   * @throws DomainError list_too_costly
   */
  take(rows = 1): void {
    this.#left -= rows;
    if (this.#left < 0) throw listTooCostly(`more than ${this.#most} rows`);
  }
}

/** Whether a query was refused because it looks at too many rows. */
export function isTooCostly(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'list_too_costly';
}

/** @param cost what the query would have taken: so many rows, or a time */
export function listTooCostly(cost: string): DomainError {
  return new DomainError(
    'list_too_costly',
    `the list costs too much (${cost} would be examined): narrow it, to one region for example, ask for an earlier page, or ` +
      'leave out the order',
  );
}
