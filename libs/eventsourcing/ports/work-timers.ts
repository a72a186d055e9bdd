import type { Instant } from '#kernel';

/**
 * Wakes the runner of a work list when a row becomes due. A timer is a hint, never the truth: it may be lost, come late or
 * come twice, and the runner's sweep and the deciders make that harmless.
 */
export interface WorkTimers {
  /** Asks for a call at `dueAt`, or at once when that has passed. The same list and key again replaces the wish. */
  schedule(list: string, key: string, dueAt: Instant): void;
  /**
   * Begins to call; `key` is left out where the runner should look for whatever is due. At most one call per list at a time.
   * A call without a key may stand for every wish of the list, later ones too: the runner ends it by asking for the time of
   * the list's next open row. A call that rejects is repeated after a pause.
   */
  start(handler: (list: string, key?: string) => Promise<void>): void;
  /** The clock was moved: look again at what is due. */
  clockMoved(): void;
  /** Stops calling, and waits for the calls under way. */
  close(): Promise<void>;
}
