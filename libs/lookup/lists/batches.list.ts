import { z } from 'zod';
import { MOMENT, text } from '#http';
import { isoTime } from '#kernel';
import { usersView } from '#people/model';
import { BATCH_STATES, batchesView, type BatchRow } from '#mailing/model';
import { ofDeal, ofPartner, ofWord } from '../list/filters.js';
import { defineList, NEWEST_FIRST } from '../list/list.js';

/** A batch in a list. */
export const BATCH_LISTED = z
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

/** A batch, as lists and its page show it. */
export const presentBatch = (row: BatchRow): z.infer<typeof BATCH_LISTED> => {
  const { batch_id, partner_id, deal_id, mode, status, user_ids, send_at, created_at } = row;
  return {
    id: batch_id,
    partner_id,
    deal_id,
    mode,
    status,
    recipients: user_ids.length,
    send_at: isoTime(send_at),
    created_at: isoTime(created_at),
  };
};

/** Batches of mails. */
export const BATCHES = defineList({
  name: 'batches',
  kind: 'batch',
  page: ({ id }) => `/operators/batches/${id}`,
  lists: 'batches of mails',
  view: batchesView,
  ...NEWEST_FIRST,
  filters: {
    user_id: {
      schema: text('id').describe('Batches that go to this user.'),
      fits: ({ user_ids }: BatchRow, user) => user_ids.includes(user),
      known: { view: usersView, otherwise: 'no user has this id' },
    },
    deal_id: ofDeal(),
    partner: ofPartner<BatchRow>(),
    status: ofWord('status', BATCH_STATES),
  },
  item: BATCH_LISTED,
  present: presentBatch,
});
