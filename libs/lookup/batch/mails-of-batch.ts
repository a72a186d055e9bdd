import { isoTime, type Recorded } from '#kernel';
import { batchMailAfter, type BatchEvent, type BatchMailRow } from '#mailing/model';
import type { z } from 'zod';
import type { BATCH } from './batch.answer.js';

type Mail = z.infer<typeof BATCH>['mails'][number];

/** What has become of the mail to each recipient, in the order of the batch. */
export function mailsOf(users: readonly string[], events: readonly Recorded[]): readonly Mail[] {
  const rows = new Map<string, BatchMailRow | undefined>(users.map((user_id) => [user_id, undefined]));
  for (const event of events as readonly Recorded<BatchEvent>[]) {
    if (!('user_id' in event.data)) continue;
    const { user_id } = event.data;
    rows.set(user_id, batchMailAfter(rows.get(user_id), event));
  }
  return [...rows].map(([user_id, row]) => (row === undefined ? waiting(user_id) : presentMail(row)));
}

const waiting = (user_id: string): Mail => ({ user_id, outcome: 'waiting', attempts: 0, reason: null, at: null });

/** A mail of a batch, as answers show it. */
export function presentMail({ user_id, outcome, attempts, reason, at }: BatchMailRow): Mail {
  return { user_id, outcome, attempts, reason, at: isoTime(at) };
}
