import { DAY, defineWorkList, unchanged, type WorkRow } from '#kernel';
import type { BatchEvent } from './batch.events.js';

/** Batches with recipients who have no outcome yet, due at `send_at` and after each pause (ruling F4). */
export const batchDeliveries = defineWorkList<WorkRow, BatchEvent>({
  name: 'batch-deliveries',
  version: 1,
  key: (event) => event.data.batch_id,
  on: {
    'batch-created.v1': (_, { data }) => ({ due_at: data.send_at }),
    'batch-cancelled.v1': () => undefined,
    'delivery-attempted.v1': unchanged,
    'delivery-made.v1': unchanged,
    'delivery-delayed.v1': unchanged,
    'delivery-failed.v1': unchanged,
    'delivery-skipped.v1': unchanged,
    'delivery-paused.v1': (row, { data }) => row && { due_at: data.until },
    'batch-processed.v1': () => undefined,
    'batch-failed.v1': () => undefined,
  },
  // A batch is for the next day.
  within: 2 * DAY,
  shown: {
    does: 'Sends the mails of a batch.',
    about: (batch_id) => ({ batch_id }),
  },
});
