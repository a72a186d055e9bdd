// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/**
 * A new user. What is personal is sealed under a key of that person, kept outside the log: with the key destroyed, every
 * copy of the log forgets the person.
 */
export interface UserRegistered {
  readonly user_id: string;
  readonly partner_id: string;
  /** A sealed `Profile`. */
  readonly profile: string;
  /** A sealed `{password}`, the argon2id hash; null where none was given. */
  readonly password: string | null;
  /** The keyed hash that names the stream of the e-mail address; null in what was first stored as version 1. */
  readonly address: string | null;
  /** Which taking of the address it is, from 1. */
  readonly taking: number;
  readonly created_at: Instant;
}

/** A user came to another e-mail address. */
export interface UserEmailChanged {
  readonly user_id: string;
  /** The stream of the address, and which taking of it this is. */
  readonly address: string;
  readonly taking: number;
  /** The stream of the address that he leaves, which he holds until it is released; null where it is the same. */
  readonly previous: string | null;
  /** A sealed `{email}`. */
  readonly email: string;
}

/** What is kept of a user was changed. */
export interface UserChanged {
  readonly user_id: string;
  /** The whole sealed `Profile`, from now on. */
  readonly profile: string;
  /** A sealed `{password}`, the argon2id hash; null where it stays. */
  readonly password: string | null;
  readonly deleted: boolean;
}

/** A user gives back addresses that he left. */
export interface UserEmailsReleased {
  readonly user_id: string;
  readonly addresses: readonly { readonly address: string; readonly taking: number }[];
}

export type UserEvent =
  | EventOf<'user-registered.v2', UserRegistered>
  | EventOf<'user-email-changed.v1', UserEmailChanged>
  | EventOf<'user-changed.v1', UserChanged>
  | EventOf<'user-emails-released.v1', UserEmailsReleased>;

/** Version 1 knew no passwords, and addresses that are taken once. */
export const registrationFromV1 = (data: object): object => ({ ...data, password: null, address: null, taking: 1 });

export const userEvents = defineEventTypes<UserEvent>(
  'user',
  {
    'user-registered.v2': true,
    'user-email-changed.v1': true,
    'user-changed.v1': true,
    'user-emails-released.v1': true,
  },
  [{ from: 'user-registered.v1', to: 'user-registered.v2', change: registrationFromV1 }],
);
