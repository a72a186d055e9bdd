import type { ContextModel } from '#kernel';

/** The events of this context, and what the service builds from them. */
export const mailing: ContextModel = {
  events: [],
  followers: [],
  views: [],
  workLists: [],
};
