import type { UserEvent } from './user.events.js';
import type { Instant } from '#kernel';

/** A user as events tell it; `presentUser` makes the answer of it and its opened profile. */
export interface UserRow {
  readonly user_id: string;
  readonly partner_id: string;
  /** A sealed `Profile`. */
  readonly profile: string;
  /** A sealed `{email}` that is newer than the profile's; null where the profile's holds. */
  readonly new_email: string | null;
  /** Hidden until set back (ruling E1). */
  readonly deleted: boolean;
  readonly created_at: Instant;
}

/** The row after an event of its user; a user who is not registered has none. */
export function userAfter(row: UserRow | undefined, event: UserEvent): UserRow | undefined {
  if (event.type === 'user-registered.v2') {
    const { user_id, partner_id, profile, created_at } = event.data;
    return { user_id, partner_id, profile, new_email: null, deleted: false, created_at };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'user-email-changed.v1':
      return { ...row, new_email: event.data.email };
    case 'user-changed.v1':
      return { ...row, profile: event.data.profile, new_email: null, deleted: event.data.deleted };
    case 'user-emails-released.v1':
      return row;
  }
}
