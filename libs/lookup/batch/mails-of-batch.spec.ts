import { describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import type { BatchEvent } from '#mailing/model';
import { mailsOf } from './mails-of-batch.js';

const at = (event: BatchEvent, time: number): Recorded => ({ ...event, metadata: { time } }) as unknown as Recorded;
const ofAnn = { batch_id: 'b', user_id: 'ann' };

describe('G5.4: the mails of a batch', () => {
  it.each<[string, readonly BatchEvent[], object]>([
    ['waits', [], { outcome: 'waiting', attempts: 0, reason: null, at: null }],
    [
      'is under way',
      [{ type: 'delivery-attempted.v1', data: { ...ofAnn, attempt: 1, attempted_at: 1 } }],
      { outcome: 'under-way', attempts: 1, reason: null },
    ],
    [
      'is sent at the second try',
      [
        { type: 'delivery-attempted.v1', data: { ...ofAnn, attempt: 1, attempted_at: 1 } },
        { type: 'delivery-delayed.v1', data: { ...ofAnn, attempt: 1, reason: 'busy', until: 9 } },
        { type: 'delivery-attempted.v1', data: { ...ofAnn, attempt: 2, attempted_at: 9 } },
        { type: 'delivery-made.v1', data: { ...ofAnn, attempt: 2 } },
      ],
      { outcome: 'sent', attempts: 2, reason: null },
    ],
    [
      'is delayed',
      [{ type: 'delivery-delayed.v1', data: { ...ofAnn, attempt: 1, reason: 'busy', until: 9 } }],
      { outcome: 'delayed', reason: 'busy' },
    ],
    [
      'has failed',
      [{ type: 'delivery-failed.v1', data: { ...ofAnn, attempt: 1, reason: 'unknown mailbox' } }],
      { outcome: 'failed', reason: 'unknown mailbox' },
    ],
    [
      'is skipped',
      [{ type: 'delivery-skipped.v1', data: { ...ofAnn, reason: 'unsubscribed' } }],
      { outcome: 'skipped', reason: 'unsubscribed' },
    ],
  ])('a mail %s', (_, events, expected) => {
    const [ann, ben] = mailsOf(
      ['ann', 'ben'],
      events.map((event, nth) => at(event, nth)),
    );
    expect(ann).toMatchObject({ user_id: 'ann', ...expected });
    expect(ben).toMatchObject({ user_id: 'ben', outcome: 'waiting' });
  });
});
