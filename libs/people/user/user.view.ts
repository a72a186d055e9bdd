import { defineView, value } from '#kernel';
import type { UserEvent } from './user.events.js';
import { userFold, type UserRow } from './user.row.js';

/** The fields that lists of users filter and sort by. */
export type UserField = 'partner_id' | 'address' | 'created_at';

const NEWEST = { descending: 'created_at' } as const;

/** Users by id; indexes have those of a partner, and those with an e-mail address by its keyed hash. */
export const usersView = defineView<UserRow, UserEvent, UserField>({
  name: 'users',
  version: 3,
  key: (event) => event.data.user_id,
  on: userFold,
  fields: {
    partner_id: value((row) => row.partner_id),
    address: value((row) => row.address),
    created_at: value((row) => row.created_at),
  },
  orders: [
    { by: ['address', NEWEST], covers: [] },
    { by: ['partner_id', NEWEST], covers: [] },
    { by: [NEWEST], covers: [] },
  ],
});
