import { defineView, value } from '#kernel';
import type { BatchEvent } from './batch.events.js';
import { batchMailFold, batchMailKey, type BatchMailRow } from './batch-mail.row.js';

/** The mails of batches, by batch and recipient; the index has those to a user, the newest first. */
export const batchMailsView = defineView<BatchMailRow, BatchEvent, 'user_id' | 'at'>({
  name: 'batch-mails',
  version: 1,
  key: (event) => batchMailKey(event) ?? [],
  on: batchMailFold,
  fields: {
    user_id: value((row) => row.user_id),
    at: value((row) => row.at),
  },
  orders: [{ by: ['user_id', { descending: 'at' }], covers: [] }],
});
