import { changing, rowAfter, type Fold } from '#kernel';
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
};

/** The batch after one of its events. */
export function batchAfter(row: BatchRow | undefined, event: BatchEvent): BatchRow | undefined {
  return rowAfter(batchFold, row, event, event.data.batch_id);
}
