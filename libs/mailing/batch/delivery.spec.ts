import { describe, expect, it } from '@jest/globals';
import { MINUTE } from '#kernel';
import { MAIL_WAITS } from '#kernel/bounds';
import { given, rowsOf, stateOf } from '../../../test/support/given-when-then.js';
import { batchDeliveries } from './batch-deliveries.work.js';
import { batch, type BatchCommand } from './batch.decider.js';
import type { BatchEvent } from './batch.events.js';
import { TAKEOVER, type Handover } from '../tries.rules.js';
import { batchesView } from './batch.view.js';
import { dueRecipients } from './delivery.rules.js';

const SEND_AT = 1_000_000;
const LATER = SEND_AT + TAKEOVER;

const created: BatchEvent = {
  type: 'batch-created.v1',
  data: {
    batch_id: 'a',
    partner_id: 'acme',
    deal_id: 'spa',
    mode: 'suppress',
    send_at: SEND_AT,
    user_ids: ['u1', 'u2', 'u3'],
    created_at: 7,
  },
};
const attempted = (attempt = 1, attempted_at = SEND_AT, user_id = 'u1'): BatchEvent => ({
  type: 'delivery-attempted.v1',
  data: { batch_id: 'a', user_id, attempt, attempted_at },
});
const made = (attempt = 1, user_id = 'u1'): BatchEvent => ({
  type: 'delivery-made.v1',
  data: { batch_id: 'a', user_id, attempt },
});
const delayed = (attempt: number, until: number, user_id = 'u1'): BatchEvent => ({
  type: 'delivery-delayed.v1',
  data: { batch_id: 'a', user_id, attempt, reason: 'busy', until },
});
const failed = (attempt = 1, user_id = 'u1', reason = 'no such mailbox'): BatchEvent => ({
  type: 'delivery-failed.v1',
  data: { batch_id: 'a', user_id, attempt, reason },
});
const skipped = (user_id = 'u1'): BatchEvent => ({
  type: 'delivery-skipped.v1',
  data: { batch_id: 'a', user_id, reason: 'hidden' },
});
const ended = (
  type: 'batch-processed.v1' | 'batch-failed.v1',
  sent: number,
  fails: number,
  skips: number,
): BatchEvent => ({
  type,
  data: { batch_id: 'a', sent, failed: fails, skipped: skips },
});
const take: BatchCommand = { type: 'attempt', user_id: 'u1' };
const noted = (outcome: Handover, attempt = 1, user_id = 'u1'): BatchCommand => ({
  type: 'note',
  user_id,
  attempt,
  outcome,
});
const busy: Handover = { kind: 'delayed', reason: 'busy' };

describe('F4: a recipient', () => {
  it.each<
    readonly [
      words: string,
      before: readonly BatchEvent[],
      command: BatchCommand,
      now: number,
      after: readonly BatchEvent[],
    ]
  >([
    ['is taken at send_at', [], take, SEND_AT, [attempted()]],
    ['is not taken before', [], take, SEND_AT - 1, []],
    ['is taken by one of two senders', [attempted()], take, SEND_AT + 1, []],
    ['is left to their sender for a while', [attempted()], take, LATER - 1, []],
    ['is taken over from a sender that is gone', [attempted()], take, LATER, [attempted(2, LATER)]],
    ['is not taken after they got their mail', [attempted(), made()], take, LATER, []],
    ['is not taken after they were skipped', [skipped()], take, LATER, []],
    ['is not taken after a failure', [attempted(), failed()], take, LATER, []],
    ['is not taken while the mail waits', [attempted(), delayed(1, SEND_AT + 9)], take, SEND_AT + 8, []],
    [
      'is taken again after that',
      [attempted(), delayed(1, SEND_AT + 9)],
      take,
      SEND_AT + 9,
      [attempted(2, SEND_AT + 9)],
    ],
    ['of another batch is not taken', [], { type: 'attempt', user_id: 'u9' }, SEND_AT, []],
    ['gets one outcome', [attempted()], noted({ kind: 'sent' }), SEND_AT, [made()]],
    ['gets no second one', [attempted(), made()], noted({ kind: 'sent' }), SEND_AT, []],
    ['gets none from a sender that lost them', [attempted(), attempted(2, LATER)], noted({ kind: 'sent' }), LATER, []],
    ['gets none without an attempt', [], noted({ kind: 'sent' }), SEND_AT, []],
    [
      'that is refused has failed',
      [attempted()],
      noted({ kind: 'refused', reason: 'no such mailbox' }),
      SEND_AT,
      [failed()],
    ],
    [
      'whose mail may have been taken has failed: it is not sent twice',
      [attempted()],
      noted({ kind: 'unknown', reason: 'cut' }),
      SEND_AT,
      [failed(1, 'u1', 'cut')],
    ],
    ['waits a minute at first', [attempted()], noted(busy), SEND_AT, [delayed(1, SEND_AT + MINUTE)]],
    ['then waits longer', [attempted(2)], noted(busy, 2), SEND_AT, [delayed(2, SEND_AT + 5 * MINUTE)]],
    ['waits four hours in the end', [attempted(5)], noted(busy, 5), SEND_AT, [delayed(5, SEND_AT + 240 * MINUTE)]],
    ['has failed after the sixth try', [attempted(6)], noted(busy, 6), SEND_AT, [failed(6, 'u1', 'busy')]],
    ['H3: is skipped', [], { type: 'skip', user_id: 'u1', reason: 'hidden' }, SEND_AT, [skipped()]],
    ['H3: is skipped once', [skipped()], { type: 'skip', user_id: 'u1', reason: 'hidden' }, SEND_AT, []],
    [
      'H3: is not skipped while a sender has them',
      [attempted()],
      { type: 'skip', user_id: 'u1', reason: 'hidden' },
      SEND_AT,
      [],
    ],
  ])('%s', (_, before, command, now, after) => {
    given(batch, [created, ...before])
      .when(command, now)
      .then(after);
  });

  it('is never taken over from a sender that still waits for the mail server', () => {
    expect(TAKEOVER).toBeGreaterThan(MAIL_WAITS.mail + MINUTE / 2);
  });

  it('has a reason of bounded length', () => {
    const { outcome } = given(batch, [created, attempted()]).when(
      noted({ kind: 'refused', reason: 'x'.repeat(9_999) }),
      SEND_AT,
    );
    expect(outcome).toEqual([failed(1, 'u1', 'x'.repeat(500))]);
  });
});

describe('3.5, F4: a batch', () => {
  const two = [attempted(1, SEND_AT, 'u2'), made(1, 'u2'), skipped('u3')];
  it.each<readonly [words: string, before: readonly BatchEvent[], command: BatchCommand, after: readonly BatchEvent[]]>(
    [
      [
        'is processed with the last mail',
        [...two, attempted()],
        noted({ kind: 'sent' }),
        [made(), ended('batch-processed.v1', 2, 0, 1)],
      ],
      [
        'H3: is processed with the last one skipped',
        two,
        { type: 'skip', user_id: 'u1', reason: 'hidden' },
        [skipped(), ended('batch-processed.v1', 1, 0, 2)],
      ],
      [
        'has failed if the last one has',
        [...two, attempted()],
        noted({ kind: 'refused', reason: 'no such mailbox' }),
        [failed(), ended('batch-failed.v1', 1, 1, 1)],
      ],
      [
        'has failed if one has',
        [attempted(1, SEND_AT, 'u2'), failed(1, 'u2'), skipped('u3'), attempted()],
        noted({ kind: 'sent' }),
        [made(), ended('batch-failed.v1', 1, 1, 1)],
      ],
      [
        'pauses until a mail is due',
        [...two, attempted(), delayed(1, 2_000_000)],
        { type: 'pause' },
        [paused(2_000_000)],
      ],
      ['pauses until a sender may be taken for dead', [...two, attempted()], { type: 'pause' }, [paused(LATER)]],
      [
        'pauses until the first of several',
        [attempted(), attempted(1, SEND_AT + 1, 'u2'), skipped('u3')],
        { type: 'pause' },
        [paused(LATER)],
      ],
      ['pauses once', [...two, attempted(), paused(LATER)], { type: 'pause' }, []],
      ['does not pause while a recipient is due', [attempted()], { type: 'pause' }, []],
      [
        'that has ended does nothing more',
        [...two, attempted(), made(), ended('batch-processed.v1', 2, 0, 1)],
        { type: 'pause' },
        [],
      ],
      ['that is cancelled sends nothing', [cancelled()], take, []],
    ],
  )('%s', (_, before, command, after) => {
    given(batch, [created, ...before])
      .when(command, SEND_AT)
      .then(after);
  });

  it.each<readonly [words: string, before: readonly BatchEvent[]]>([
    ['from the first attempt on', [attempted()]],
    ['after a recipient was skipped', [skipped()]],
    ['when it is processed', [attempted(), made(), ended('batch-processed.v1', 1, 0, 2)]],
    ['when it has failed', [attempted(), failed(), ended('batch-failed.v1', 0, 1, 2)]],
  ])('7.4.4, F4, 7.4: is not cancelled %s', (_, before) => {
    given(batch, [created, ...before])
      .when({ type: 'cancel' }, SEND_AT)
      .then('batch_invalid');
  });

  it('F4: goes on with the first recipient who is due', () => {
    const before = [created, attempted(), made(), attempted(1, SEND_AT, 'u2')];
    const due = (now: number): readonly string[] => {
      const state = stateOf(batch, before);
      return state === null ? [] : dueRecipients(state, now);
    };
    expect([due(SEND_AT - 1), due(SEND_AT), due(LATER)]).toEqual([[], ['u3'], ['u2', 'u3']]);
  });

  it('3.5.3, 3.5.4, 3.5: shows how it ended', async () => {
    const shown = async (...events: BatchEvent[]): Promise<unknown> => {
      const rows = await rowsOf(
        batchesView,
        [created, ...events].map((event) => ({ ...event, stream: 'batch-a' })),
      );
      return rows['a']?.status;
    };
    expect(await shown(attempted(), made())).toBe('pending');
    expect(await shown(attempted(), made(), ended('batch-processed.v1', 3, 0, 0))).toBe('processed');
    expect(await shown(attempted(), failed(), ended('batch-failed.v1', 2, 1, 0))).toBe('failed');
  });

  it.each<readonly [words: string, events: readonly BatchEvent[], due: number | undefined]>([
    ['is due at send_at', [], SEND_AT],
    ['stays due while it is sent', [attempted(), made()], SEND_AT],
    ['is due after its pause', [attempted(), paused(LATER)], LATER],
    ['is not due when it is cancelled', [cancelled()], undefined],
    ['is not due when it is processed', [ended('batch-processed.v1', 3, 0, 0)], undefined],
    ['is not due when it has failed', [ended('batch-failed.v1', 2, 1, 0)], undefined],
  ])('%s', async (_, events, due) => {
    const rows = await rowsOf(
      batchDeliveries.view,
      [created, ...events].map((event) => ({ ...event, stream: 'batch-a' })),
    );
    expect(rows).toEqual(due === undefined ? {} : { a: { due_at: due } });
  });
});

function paused(until: number): BatchEvent {
  return { type: 'delivery-paused.v1', data: { batch_id: 'a', until } };
}

function cancelled(): BatchEvent {
  return { type: 'batch-cancelled.v1', data: { batch_id: 'a', partner_id: 'acme', send_at: SEND_AT } };
}
