// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';
import type { UserRegistered } from './user.events.js';

/** A user leaves one address for another and holds the new one from now on. */
export interface EmailExchanged {
  readonly user_id: string;
  /** The id of the change: the same for every try of one request. */
  readonly change_id: string;
  /** The stream of the address that the user had at the time of the request. */
  readonly from: string;
  readonly address: string;
  /** The number of this taking of the address, from 1. */
  readonly taking: number;
  /** A sealed `{email}`. */
  readonly email: string;
}

/** The user's taking of this address has ended. */
export interface EmailFreed {
  readonly user_id: string;
  readonly taking: number;
}

/** The stream of an e-mail address within a partner decides who has the address. A keyed hash names it. */
export type EmailEvent =
  | EventOf<'email-taken.v1', UserRegistered>
  | EventOf<'email-exchanged.v1', EmailExchanged>
  | EventOf<'email-freed.v1', EmailFreed>;

export const emailEvents = defineEventTypes<EmailEvent>(
  'email',
  {
    'email-taken.v1': true,
    'email-exchanged.v1': true,
    'email-freed.v1': true,
  },
  [],
  { 'email-taken.v1': ['taking'], 'email-exchanged.v1': ['taking'] },
);
