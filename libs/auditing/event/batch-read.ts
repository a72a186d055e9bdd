import type { Recorded } from '#kernel';

/** Some events that were read one after another. */
export interface ReadEvents {
  readonly read: readonly Recorded[];
  /** Those of them that were asked for. */
  readonly events: readonly Recorded[];
}
