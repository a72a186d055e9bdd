// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** The mail that asks a user to confirm a subscription, and the daily update that it then gets. */
export const SUBSCRIPTION_MAILS = ['confirmation', 'daily-update'] as const;
export type SubscriptionMailKind = (typeof SUBSCRIPTION_MAILS)[number];

/** Names a mail of a subscription. */
export interface OfMail {
  readonly subscription_id: string;
  readonly kind: SubscriptionMailKind;
  /**
   * Grows from mail to mail of this kind. Of a confirmation: the revision of the event that began the subscription, began it
   * again, or asked for it again. Of a daily update: its day, counted from 1970-01-01 in UTC.
   */
  readonly turn: number;
}

interface OfAttempt extends OfMail {
  /** Counts the tries of this mail, from 1. */
  readonly attempt: number;
}

/** One sender hands over the mail, and no other does for some time (ruling F4). */
export interface SubscriptionMailAttempted extends OfAttempt {
  readonly attempted_at: Instant;
}

/** The mail is not sent any more. */
export interface SubscriptionMailFailed extends OfAttempt {
  /** For people, without an address or a secret. */
  readonly reason: string;
  /** Whether a server may have taken it at this try, because its answer was lost. */
  readonly may_have_arrived: boolean;
}

/** The mail is tried again. */
export interface SubscriptionMailDelayed extends SubscriptionMailFailed {
  readonly until: Instant;
}

/** Why there is no mail although nothing failed. */
export type SubscriptionMailSkip =
  /** The subscription is inactive, or for a daily update not confirmed. */
  | 'ended'
  /** It is confirmed already. */
  | 'confirmed'
  /** The user is deleted, until a call restores them. */
  | 'hidden'
  /** Nobody can read the user's address any more. */
  | 'erased'
  /** A batch of that day suppresses the daily update (ruling F5). */
  | 'suppressed'
  /** The region has no deals any more. */
  | 'no-deals'
  /** An operator has suspended the partner (ruling I10). */
  | 'suspended';

export interface SubscriptionMailSkipped extends OfMail {
  readonly reason: SubscriptionMailSkip;
}

export type SubscriptionMailEvent =
  | EventOf<'subscription-mail-attempted.v1', SubscriptionMailAttempted>
  | EventOf<'subscription-mail-sent.v1', OfAttempt>
  | EventOf<'subscription-mail-delayed.v1', SubscriptionMailDelayed>
  | EventOf<'subscription-mail-failed.v1', SubscriptionMailFailed>
  | EventOf<'subscription-mail-skipped.v1', SubscriptionMailSkipped>;

export const subscriptionMailEvents = defineEventTypes<SubscriptionMailEvent>(
  'subscriptionMail',
  {
    'subscription-mail-attempted.v1': true,
    'subscription-mail-sent.v1': true,
    'subscription-mail-delayed.v1': true,
    'subscription-mail-failed.v1': true,
    'subscription-mail-skipped.v1': true,
  },
  [],
  {
    'subscription-mail-attempted.v1': ['turn', 'attempt', 'attempted_at'],
    'subscription-mail-sent.v1': ['turn', 'attempt'],
    'subscription-mail-delayed.v1': ['turn', 'attempt', 'until'],
    'subscription-mail-failed.v1': ['turn', 'attempt'],
    'subscription-mail-skipped.v1': ['turn'],
  },
);
