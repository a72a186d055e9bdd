import { defineView } from '#kernel';
import type { UserEvent } from './user.events.js';
import { userAfter, type UserRow } from './user.row.js';

/** Users by id. */
export const usersView = defineView<UserRow, UserEvent>({
  name: 'users',
  version: 2,
  key: (event) => event.data.user_id,
  on: {
    'user-registered.v2': userAfter,
    'user-email-changed.v1': userAfter,
    'user-changed.v1': userAfter,
  },
});
