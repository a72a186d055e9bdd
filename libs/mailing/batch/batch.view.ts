import { defineView, value } from '#kernel';
import type { BatchEvent } from './batch.events.js';
import { batchFold, type BatchRow } from './batch.row.js';

/** The fields that lists of batches filter and sort by. */
export type BatchField = 'partner_id' | 'deal_id' | 'status' | 'created_at';

const NEWEST = { descending: 'created_at' } as const;

/** Batches by id; each index has those of one partner or deal in the order of their list. */
export const batchesView = defineView<BatchRow, BatchEvent, BatchField>({
  name: 'batches',
  version: 3,
  key: (event) => event.data.batch_id,
  on: batchFold,
  fields: {
    partner_id: value((row) => row.partner_id),
    deal_id: value((row) => row.deal_id),
    status: value((row) => row.status),
    created_at: value((row) => row.created_at),
  },
  orders: [
    { by: ['partner_id', NEWEST], covers: [] },
    { by: ['deal_id', NEWEST], covers: [] },
    { by: ['status', NEWEST], covers: [] },
    { by: [NEWEST], covers: [] },
  ],
});
