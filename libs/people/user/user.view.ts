import { defineView } from '#kernel';
import type { UserEvent } from './user.events.js';
import { userFold, type UserRow } from './user.row.js';

/** Users by id. */
export const usersView = defineView<UserRow, UserEvent>({
  name: 'users',
  version: 2,
  key: (event) => event.data.user_id,
  on: userFold,
});
