import type { AnswerOf } from '#http';
import { utcTime } from '#kernel';
import type { BATCH } from './batch.answer.js';
import type { BatchRow } from './batch.row.js';

/** A batch's answer (interface 2.13, ruling B8). */
export function presentBatch({ batch_id, send_at, deal_id, status, user_ids, mode }: BatchRow): AnswerOf<typeof BATCH> {
  return { send_at: utcTime(send_at), deal_id, status, user_ids, mode, id: batch_id };
}
