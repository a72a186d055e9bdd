import { defineView } from '#kernel';
import type { UserEvent } from './user.events.js';
import { userAfter, type UserRow } from './user.row.js';

/** Users by id. */
export const usersView = defineView<UserRow, UserEvent>({
  name: 'users',
  version: 1,
  key: (event) => event.data.user_id,
  on: { 'user-registered.v1': userAfter },
});
