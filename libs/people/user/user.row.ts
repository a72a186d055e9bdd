import { changing, rowAfter, unchanged, type Fold, type Instant } from '#kernel';
import type { UserEvent } from './user.events.js';

/** A user as their events describe them; `presentUser` turns it and the opened profile into the answer. */
export interface UserRow {
  readonly user_id: string;
  readonly partner_id: string;
  /** A sealed `Profile`. */
  readonly profile: string;
  /** A sealed `{email}` that is newer than the profile's; null where the profile's is valid. */
  readonly new_email: string | null;
  /** The keyed hash that names the stream of their e-mail address. */
  readonly address: string;
  /** Hidden until a call restores the user (ruling E1). */
  readonly deleted: boolean;
  readonly created_at: Instant;
}

const becomes = changing<UserRow, 'user_id' | 'partner_id' | 'address' | 'created_at'>();

/** Folds a user's event into their row; there is no row before the registration. */
export const userFold: Fold<UserRow, UserEvent> = {
  'user-registered.v1': (_, { data: { user_id, partner_id, profile, address, created_at } }) => ({
    user_id,
    partner_id,
    profile,
    new_email: null,
    address,
    deleted: false,
    created_at,
  }),
  'user-email-changed.v1': (row, { data }) =>
    row &&
    becomes({ ...row, address: data.address }, { profile: row.profile, new_email: data.email, deleted: row.deleted }),
  'user-changed.v1': (row, { data }) =>
    row && becomes(row, { profile: data.profile, new_email: null, deleted: data.deleted }),
  'user-emails-released.v1': unchanged,
  'user-erased.v1': () => undefined,
};

/** The row after an event of its user. */
export function userAfter(row: UserRow | undefined, event: UserEvent): UserRow | undefined {
  return rowAfter(userFold, row, event, event.data.user_id);
}
