// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/**
 * A new user. A key of this user, stored outside the log, seals the personal data. When the key is destroyed, no copy of
 * the log can show the data any more.
 */
export interface UserRegistered {
  readonly user_id: string;
  readonly partner_id: string;
  /** A sealed `Profile`. */
  readonly profile: string;
  /** A sealed `{password}`, the argon2id hash; null for none. */
  readonly password: string | null;
  /** The keyed hash that names the stream of the e-mail address. */
  readonly address: string;
  /** The number of this taking of the address, from 1. */
  readonly taking: number;
  readonly created_at: Instant;
}

/** A user changed to another e-mail address. */
export interface UserEmailChanged {
  readonly user_id: string;
  /** The stream of the new address; `taking` is the number of this taking of it. */
  readonly address: string;
  readonly taking: number;
  /** The stream of the old address, which the user holds until its release; null where it is the same address. */
  readonly previous: string | null;
  /** A sealed `{email}`. */
  readonly email: string;
}

/** The data of a user changed. */
export interface UserChanged {
  readonly user_id: string;
  /** The whole new `Profile`, sealed. */
  readonly profile: string;
  /** A sealed `{password}`, the argon2id hash; null where the password stays. */
  readonly password: string | null;
  readonly deleted: boolean;
}

/** A user released addresses that they left. */
export interface UserEmailsReleased {
  readonly user_id: string;
  readonly addresses: readonly { readonly address: string; readonly taking: number }[];
}

/**
 * A user is erased (ruling G12): the key that opens their data is destroyed, and what else was kept of them is gone. The streams
 * of their purchases stay, without their name.
 */
export interface UserErased {
  readonly user_id: string;
  /** The operator's. */
  readonly reason: string;
  readonly erased_at: Instant;
  /** The addresses that they held. */
  readonly addresses: readonly { readonly address: string; readonly taking: number }[];
}

export type UserEvent =
  | EventOf<'user-registered.v1', UserRegistered>
  | EventOf<'user-email-changed.v1', UserEmailChanged>
  | EventOf<'user-changed.v1', UserChanged>
  | EventOf<'user-emails-released.v1', UserEmailsReleased>
  | EventOf<'user-erased.v1', UserErased>;

export const userEvents = defineEventTypes<UserEvent>(
  'user',
  {
    'user-registered.v1': true,
    'user-email-changed.v1': true,
    'user-changed.v1': true,
    'user-emails-released.v1': true,
    'user-erased.v1': true,
  },
  [],
  { 'user-registered.v1': ['taking'], 'user-email-changed.v1': ['taking'] },
);
