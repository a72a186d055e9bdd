// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { UsersScheduled } from '../schedule/schedule.events.js';

/** A partner's mail about a deal, which goes to these users at `send_at` (interface 2.13). */
export interface BatchCreated extends Omit<UsersScheduled, 'scheduled'> {
  readonly created_at: Instant;
}

/** The batch is cancelled: nothing of it was or will be sent. It names the day's schedule, which frees its users. */
export type BatchCancelled = Pick<BatchCreated, 'batch_id' | 'partner_id' | 'send_at'>;

export type BatchEvent = EventOf<'batch-created.v1', BatchCreated> | EventOf<'batch-cancelled.v1', BatchCancelled>;

export const batchEvents = defineEventTypes<BatchEvent>('batch', {
  'batch-created.v1': true,
  'batch-cancelled.v1': true,
});
