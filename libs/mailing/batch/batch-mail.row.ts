import { rowAfter, unchanged, type Fold, type Instant, type Recorded } from '#kernel';
import type { BatchEvent, DeliveryFailed } from './batch.events.js';

/** What may become of the mail to one recipient. */
export const MAIL_OUTCOMES = ['waiting', 'under-way', 'delayed', 'sent', 'failed', 'skipped'] as const;

/** What has become of the mail of a batch to one recipient. */
export interface BatchMailRow {
  readonly batch_id: string;
  readonly user_id: string;
  readonly outcome: (typeof MAIL_OUTCOMES)[number];
  /** How often it was tried. */
  readonly attempts: number;
  /** Why it is delayed, failed or was skipped. */
  readonly reason: string | null;
  /** When that became known. */
  readonly at: Instant;
}

/** Folds an event about a recipient into the row of their mail; there is none before the first try. */
export const batchMailFold: Fold<BatchMailRow, Recorded<BatchEvent>> = {
  'batch-created.v1': unchanged,
  'batch-cancelled.v1': unchanged,
  'delivery-attempted.v1': (_, { data, metadata }) => mail(data, 'under-way', null, metadata.time),
  'delivery-made.v1': (_, { data, metadata }) => mail(data, 'sent', null, metadata.time),
  'delivery-delayed.v1': (_, { data, metadata }) => mail(data, 'delayed', data.reason, metadata.time),
  'delivery-failed.v1': (_, { data, metadata }) => mail(data, 'failed', data.reason, metadata.time),
  'delivery-skipped.v1': (row, { data, metadata }) =>
    mail({ ...data, attempt: row?.attempts ?? 0 }, 'skipped', data.reason, metadata.time),
  'delivery-paused.v1': unchanged,
  'batch-processed.v1': unchanged,
  'batch-failed.v1': unchanged,
};

function mail(
  { batch_id, user_id, attempt }: Pick<DeliveryFailed, 'batch_id' | 'user_id' | 'attempt'>,
  outcome: BatchMailRow['outcome'],
  reason: string | null,
  at: Instant,
): BatchMailRow {
  return { batch_id, user_id, outcome, attempts: attempt, reason, at };
}

/** The mail after an event about it. */
export function batchMailAfter(row: BatchMailRow | undefined, event: Recorded<BatchEvent>): BatchMailRow | undefined {
  return rowAfter(batchMailFold, row, event, batchMailKey(event) ?? '');
}

/** The key of a recipient's mail; undefined for an event about no recipient. */
export function batchMailKey({ data }: BatchEvent): string | undefined {
  return 'user_id' in data ? `${data.batch_id}.${data.user_id}` : undefined;
}
