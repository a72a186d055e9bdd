import { changing, rowAfter, unchanged, type Fold } from '#kernel';
import type { BatchCreated, BatchEvent } from './batch.events.js';

/** The states of a batch (interface 3.5). */
export const BATCH_STATES = ['pending', 'processed', 'failed', 'cancelled'] as const;
export type BatchStatus = (typeof BATCH_STATES)[number];

/** A batch as its events describe it. */
export interface BatchRow extends BatchCreated {
  readonly status: BatchStatus;
}

const becomes = changing<BatchRow, keyof BatchCreated>();

/** Folds a batch's event into its row. */
export const batchFold: Fold<BatchRow, BatchEvent> = {
  'batch-created.v1': (_, { data }) => ({ ...data, status: 'pending' }),
  'batch-cancelled.v1': (row) => row && becomes(row, { status: 'cancelled' }),
  'delivery-attempted.v1': unchanged,
  'delivery-made.v1': unchanged,
  'delivery-delayed.v1': unchanged,
  'delivery-failed.v1': unchanged,
  'delivery-skipped.v1': unchanged,
  'delivery-paused.v1': unchanged,
  'batch-processed.v1': (row) => row && becomes(row, { status: 'processed' }),
  'batch-failed.v1': (row) => row && becomes(row, { status: 'failed' }),
};

/** The batch after one of its events. */
export function batchAfter(row: BatchRow | undefined, event: BatchEvent): BatchRow | undefined {
  return rowAfter(batchFold, row, event, event.data.batch_id);
}
