import { defineView } from '#kernel';
import type { BatchEvent } from './batch.events.js';
import { batchFold, type BatchRow } from './batch.row.js';

/** Batches by id. */
export const batchesView = defineView<BatchRow, BatchEvent>({
  name: 'batches',
  version: 1,
  key: (event) => event.data.batch_id,
  on: batchFold,
});
