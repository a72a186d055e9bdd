import type { Followers } from './decider.js';
import type { EventTypes } from './event-types.js';
import type { View } from './view.js';
import type { WorkList } from './work-list.js';

/** What one context puts into the log, and what is built from it. */
export interface ContextModel {
  readonly events: readonly EventTypes[];
  readonly followers: readonly Followers[];
  readonly views: readonly View[];
  readonly workLists: readonly WorkList[];
}
