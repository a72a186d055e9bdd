import { MINUTE, defineWorkList, direct, unchanged, type WorkRow } from '#kernel';
import { user } from './user.decider.js';
import type { UserEvent } from './user.events.js';

/**
 * The request that changes a user's address, or its repeat, releases the old one. A repeat comes 30 s after a crash at the
 * earliest. This work list is for requests that broke off and are never repeated.
 */
const DUE_AFTER = MINUTE;

/** Users who still hold addresses that they left (ruling E1). */
export const emailRelease = defineWorkList<WorkRow, UserEvent>({
  name: 'email-release',
  version: 1,
  key: (event) => event.data.user_id,
  on: {
    'user-registered.v1': unchanged,
    'user-email-changed.v1': (row, { data, metadata }) =>
      data.previous === null ? row : (row ?? { due_at: metadata.time + DUE_AFTER }),
    'user-changed.v1': unchanged,
    'user-emails-released.v1': () => undefined,
    'user-erased.v1': () => undefined,
  },
  shown: {
    does: 'Frees the e-mail addresses that a user has left.',
    about: (user_id) => ({ user_id }),
  },
  command: (userId) => [direct(user, userId, { type: 'release' })],
});
