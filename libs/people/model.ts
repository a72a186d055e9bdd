import type { ContextModel } from '#kernel';
import { walletEvents } from './card/card.events.js';
import { cardsView } from './card/card.view.js';
import { emailFollowers } from './user/email.followers.js';
import { emailEvents, userEvents } from './user/user.events.js';
import { usersView } from './user/user.view.js';

/** What this context puts into the log, and what is built from it. */
export const people: ContextModel = {
  events: [emailEvents, userEvents, walletEvents],
  followers: [emailFollowers],
  views: [usersView, cardsView],
  workLists: [],
};
