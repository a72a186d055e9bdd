import { isoTime, type Recorded } from '#kernel';
import type { BatchEvent } from '#mailing/model';
import type { z } from 'zod';
import type { BATCH } from './batch.answer.js';

type Mail = z.infer<typeof BATCH>['mails'][number];

/** What has become of the mail to each recipient, in the order of the batch. */
export function mailsOf(users: readonly string[], events: readonly Recorded[]): readonly Mail[] {
  const mails = new Map(users.map((user_id): [string, Mail] => [user_id, waiting(user_id)]));
  for (const event of events as readonly Recorded<BatchEvent>[]) {
    if (!('user_id' in event.data)) continue;
    const { user_id } = event.data;
    const before = mails.get(user_id) ?? waiting(user_id);
    mails.set(user_id, { ...before, ...changeBy(event), at: isoTime(event.metadata.time) });
  }
  return [...mails.values()];
}

const waiting = (user_id: string): Mail => ({ user_id, outcome: 'waiting', attempts: 0, reason: null, at: null });

function changeBy(event: Recorded<BatchEvent>): Partial<Mail> {
  switch (event.type) {
    case 'delivery-attempted.v1':
      return { outcome: 'under-way', attempts: event.data.attempt, reason: null };
    case 'delivery-made.v1':
      return { outcome: 'sent', reason: null };
    case 'delivery-delayed.v1':
      return { outcome: 'delayed', reason: event.data.reason };
    case 'delivery-failed.v1':
      return { outcome: 'failed', reason: event.data.reason };
    case 'delivery-skipped.v1':
      return { outcome: 'skipped', reason: event.data.reason };
    case 'batch-created.v1':
    case 'batch-cancelled.v1':
    case 'delivery-paused.v1':
    case 'batch-processed.v1':
    case 'batch-failed.v1':
      return {};
  }
}
