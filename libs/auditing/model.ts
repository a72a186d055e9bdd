import type { ContextModel } from '#kernel';
import { eventIndexView } from './event-index/event-index.view.js';

/** What the service builds from the events of all contexts for auditors. This context has none of its own. */
export const auditing: ContextModel = {
  deciders: [],
  events: [],
  followers: [],
  views: [eventIndexView],
  workLists: [],
};
