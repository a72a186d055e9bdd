import type { ContextModel } from '#kernel';
import { emailFollowers } from './user/email.followers.js';
import { emailEvents, userEvents } from './user/user.events.js';
import { usersView } from './user/user.view.js';

/** What this context puts into the log, and what is built from it. */
export const people: ContextModel = {
  events: [emailEvents, userEvents],
  followers: [emailFollowers],
  views: [usersView],
  workLists: [],
};
