import type { RowVersion } from '#eventsourcing';
import type { Instant } from '#kernel';

/** The rows of a page, not yet read, in the order of the page. */
export interface FoundRows {
  readonly rows: readonly RowVersion[];
  /** The time that their items show. */
  readonly now: Instant;
}
