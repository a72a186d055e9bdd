import { z } from 'zod';
import { MOMENT } from '#http';
import { isoTime } from '#kernel';
import { BATCH_STATES, batchesView, type BatchRow } from '#mailing/model';
import { ofId, ofPartner, ofWord } from '../list/filters.js';
import { defineList } from '../list/list.js';

const BATCH_LISTED = z
  .strictObject({
    id: z.string(),
    partner_id: z.string(),
    deal_id: z.string(),
    mode: z.string(),
    status: z.enum(BATCH_STATES),
    recipients: z.int().describe('How many users it goes to.'),
    send_at: MOMENT,
    created_at: MOMENT,
  })
  .meta({ id: 'OperatedBatch', description: 'A batch of mails, as lists of operators show it.' });

/** Batches of mails. */
export const BATCHES = defineList({
  name: 'batches',
  lists: 'batches of mails',
  view: batchesView,
  sort: { field: 'created_at', descending: true, by: 'time' },
  order: 'newest first',
  filters: {
    deal_id: ofId('deal_id', 'The slug of a deal.'),
    partner: ofPartner<BatchRow>(),
    status: ofWord('status', BATCH_STATES),
  },
  item: BATCH_LISTED,
  present: ({ batch_id, partner_id, deal_id, mode, status, user_ids, send_at, created_at }) => ({
    id: batch_id,
    partner_id,
    deal_id,
    mode,
    status,
    recipients: user_ids.length,
    send_at: isoTime(send_at),
    created_at: isoTime(created_at),
  }),
});
