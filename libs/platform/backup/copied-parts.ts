import type { StateRows } from '#backup';
import type { Position } from '#kernel';

/** What a backup of a running service needs from the process itself. */
export class CopiedParts {
  /**
   * @param rows what is kept beside the log; undefined if others can read it where it is
   * @param head the position of the last event
   */
  constructor(
    readonly rows: StateRows | undefined,
    readonly head: () => Promise<Position>,
  ) {}
}
