// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { UsersScheduled } from '../schedule/schedule.events.js';

/** A partner's mail about a deal, which goes to these users at `send_at` (interface 2.13). */
export interface BatchCreated extends Omit<UsersScheduled, 'scheduled'> {
  readonly created_at: Instant;
}

/** The batch is cancelled: nothing of it was or will be sent. It names the day's schedule, which frees its users. */
export type BatchCancelled = Pick<BatchCreated, 'batch_id' | 'partner_id' | 'send_at'>;

interface OfRecipient {
  readonly batch_id: string;
  readonly user_id: string;
}

/** A try to mail to one recipient. */
interface OfAttempt extends OfRecipient {
  /** Counts the tries of this recipient, from 1. */
  readonly attempt: number;
}

/** One sender hands over a recipient's mail, and no other does for some time (ruling F4). */
export interface DeliveryAttempted extends OfAttempt {
  readonly attempted_at: Instant;
}

/** The mail server took nothing, and the recipient's mail is tried again. */
export interface DeliveryDelayed extends OfAttempt {
  /** For people, without an address or a secret. */
  readonly reason: string;
  readonly until: Instant;
}

/** The recipient gets no mail, or perhaps one whose arrival nobody knows. */
export interface DeliveryFailed extends OfAttempt {
  /** For people, without an address or a secret. */
  readonly reason: string;
}

/** Why a recipient gets no mail although nothing failed (ruling H3). */
export type SkipReason =
  /** They want no more batch mails of this partner. */
  | 'unsubscribed'
  /** They are deleted, until a call restores them. */
  | 'hidden'
  /** Nobody can read their address any more. */
  | 'erased'
  /** The deal is neither in-flight nor approved. */
  | 'deal-not-on-sale'
  /** An operator has suspended the partner (ruling I10). */
  | 'suspended';

export interface DeliverySkipped extends OfRecipient {
  readonly reason: SkipReason;
}

/** All recipients who have no outcome wait until this time at least. */
export interface DeliveryPaused {
  readonly batch_id: string;
  readonly until: Instant;
}

/** Every recipient has an outcome. These are their numbers. */
export interface BatchEnded {
  readonly batch_id: string;
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
}

export type BatchEvent =
  | EventOf<'batch-created.v1', BatchCreated>
  | EventOf<'batch-cancelled.v1', BatchCancelled>
  | EventOf<'delivery-attempted.v1', DeliveryAttempted>
  | EventOf<'delivery-made.v1', OfAttempt>
  | EventOf<'delivery-delayed.v1', DeliveryDelayed>
  | EventOf<'delivery-failed.v1', DeliveryFailed>
  | EventOf<'delivery-skipped.v1', DeliverySkipped>
  | EventOf<'delivery-paused.v1', DeliveryPaused>
  /** No delivery failed. */
  | EventOf<'batch-processed.v1', BatchEnded>
  | EventOf<'batch-failed.v1', BatchEnded>;

export const batchEvents = defineEventTypes<BatchEvent>(
  'batch',
  {
    'batch-created.v1': true,
    'batch-cancelled.v1': true,
    'delivery-attempted.v1': true,
    'delivery-made.v1': true,
    'delivery-delayed.v1': true,
    'delivery-failed.v1': true,
    'delivery-skipped.v1': true,
    'delivery-paused.v1': true,
    'batch-processed.v1': true,
    'batch-failed.v1': true,
  },
  [],
  {
    'batch-created.v1': ['send_at', 'created_at'],
    'delivery-attempted.v1': ['attempt', 'attempted_at'],
    'delivery-made.v1': ['attempt'],
    'delivery-delayed.v1': ['attempt', 'until'],
    'delivery-failed.v1': ['attempt'],
    'delivery-paused.v1': ['until'],
    'batch-processed.v1': ['sent', 'failed', 'skipped'],
    'batch-failed.v1': ['sent', 'failed', 'skipped'],
  },
);
