// These names are on disk.
import { defineEventTypes, type EventOf } from '#kernel';
import { registrationFromV1, type UserRegistered } from './user.events.js';

/** A user leaves one address for another, which he holds from now on. */
export interface EmailExchanged {
  readonly user_id: string;
  /** The id of the change: the same in every try of one request. */
  readonly change_id: string;
  /** The stream of the address that the user had when he asked. */
  readonly from: string;
  readonly address: string;
  /** Which taking of the address it is, from 1. */
  readonly taking: number;
  /** A sealed `{email}`. */
  readonly email: string;
}

/** The user's taking of this address is over. */
export interface EmailFreed {
  readonly user_id: string;
  readonly taking: number;
}

/** The stream of an e-mail address within a partner, named by a keyed hash: it decides who has the address. */
export type EmailEvent =
  | EventOf<'email-taken.v2', UserRegistered>
  | EventOf<'email-exchanged.v1', EmailExchanged>
  | EventOf<'email-freed.v1', EmailFreed>;

export const emailEvents = defineEventTypes<EmailEvent>(
  'email',
  { 'email-taken.v2': true, 'email-exchanged.v1': true, 'email-freed.v1': true },
  [{ from: 'email-taken.v1', to: 'email-taken.v2', change: registrationFromV1 }],
);
