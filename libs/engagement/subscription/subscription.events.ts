// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** Whether a user gets the daily update of a region (interface 3.6). */
export const SUBSCRIPTION_STATUSES = ['active', 'inactive'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** What a subscription says about its user; sealed wherever it is stored. */
export interface SubscriptionDetails {
  /** Five digits. */
  readonly zip: string;
  /** Where the subscription came from, for the partner's reports. */
  readonly source: string | null;
}

/** A user subscribed to the mails of a region. */
export interface SubscriptionCreated {
  /** A keyed hash of user and region: subscribed again, it is the same one. */
  readonly subscription_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  readonly region_id: string;
  /** A sealed `SubscriptionDetails`, under the key of its user. */
  readonly details: string;
  readonly created_at: Instant;
}

type Names = Pick<SubscriptionCreated, 'subscription_id' | 'user_id' | 'region_id'>;

/** The mails start or stop. */
export interface SubscriptionStatusSet extends Names {
  readonly status: SubscriptionStatus;
}

/**
 * The subscription needs a new confirmation: the user subscribed again before they confirmed, because the mail that asks for that
 * may not have reached them; or they have another address than the one for which they confirmed. Until then it is not confirmed.
 */
export type SubscriptionConfirmationAsked = Names;

/** The user confirmed, by the link that was mailed to them, that they want the mails. */
export interface SubscriptionConfirmed extends Names {
  /** The stream of the e-mail address that had the link. */
  readonly address: string;
}

export type SubscriptionEvent =
  | EventOf<'subscription-created.v1', SubscriptionCreated>
  | EventOf<'subscription-status-set.v1', SubscriptionStatusSet>
  | EventOf<'subscription-confirmation-asked.v1', SubscriptionConfirmationAsked>
  | EventOf<'subscription-confirmed.v1', SubscriptionConfirmed>;

export const subscriptionEvents = defineEventTypes<SubscriptionEvent>('subscription', {
  'subscription-created.v1': true,
  'subscription-status-set.v1': true,
  'subscription-confirmation-asked.v1': true,
  'subscription-confirmed.v1': true,
});
