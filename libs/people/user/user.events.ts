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
  readonly created_at: Instant;
}

/** The stream of an e-mail address within a partner, named by a keyed hash: it decides who has the address. */
export type EmailEvent = EventOf<'email-taken.v1', UserRegistered>;

export type UserEvent = EventOf<'user-registered.v1', UserRegistered>;

export const emailEvents = defineEventTypes<EmailEvent>('email', { 'email-taken.v1': true });
export const userEvents = defineEventTypes<UserEvent>('user', { 'user-registered.v1': true });
