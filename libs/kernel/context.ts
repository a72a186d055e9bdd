import type { AnyDecider, Followers } from './decider.js';
import type { EventTypes } from './event-types.js';
import type { StreamRules } from './stream-rules.js';
import type { View } from './view.js';
import type { WorkList } from './work-list.js';

/** The events of one context, the deciders that write them, and the views, followers and work lists built from them. */
export interface ContextModel {
  readonly deciders: readonly AnyDecider[];
  readonly events: readonly EventTypes[];
  readonly followers: readonly Followers[];
  readonly views: readonly View[];
  readonly workLists: readonly WorkList[];
  /** What an audit checks of its streams, beside what it checks of all. */
  readonly rules?: readonly StreamRules[];
}
