import { SECOND, defineWorkList, direct, type WorkRow } from '#kernel';
import { user } from './user.decider.js';
import type { UserEvent } from './user.events.js';

/** Who changes his address gives the old one back in the same request; one that is still held after this time was cut off. */
const DUE_AFTER = 5 * SECOND;

/** Users who hold addresses that they left: a crash came between (ruling E1). */
export const emailRelease = defineWorkList<WorkRow, UserEvent>({
  name: 'email-release',
  version: 1,
  key: (event) => event.data.user_id,
  on: {
    'user-email-changed.v1': (row, { data, metadata }) =>
      data.previous === null ? row : (row ?? { due_at: metadata.time + DUE_AFTER }),
    'user-emails-released.v1': () => undefined,
  },
  command: (userId) => [direct(user, userId, { type: 'release' })],
});
