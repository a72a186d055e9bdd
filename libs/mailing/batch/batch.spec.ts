import { describe, expect, it } from '@jest/globals';
import { follow, given, rowsOf } from '../../../test/support/given-when-then.js';
import { batchFollowers } from '../followers.js';
import { schedule } from '../schedule/schedule.decider.js';
import { batch } from './batch.decider.js';
import type { BatchCreated, BatchEvent } from './batch.events.js';
import { timeFaults, type BatchFault, type SaleWindow } from './batch.faults.js';
import { readNewBatch } from './batch.parameters.js';
import { presentBatch } from './batch.present.js';
import { batchesView } from './batch.view.js';
import { entriesOf } from './batch.words.js';

const NOW = Date.parse('2026-03-01T09:30:00Z');
const SEND_AT = Date.parse('2026-03-02T12:00:00Z');
const data: BatchCreated = {
  batch_id: 'a',
  partner_id: 'acme',
  deal_id: 'spa',
  mode: 'suppress',
  send_at: SEND_AT,
  user_ids: ['u1', 'u2'],
  created_at: NOW,
};
const created: BatchEvent = { type: 'batch-created.v1', data };
const cancelled: BatchEvent = {
  type: 'batch-cancelled.v1',
  data: { batch_id: 'a', partner_id: 'acme', send_at: SEND_AT },
};

describe('3.5: a batch', () => {
  it.each<readonly [words: string, before: readonly BatchEvent[], after: readonly BatchEvent[]]>([
    ['is created', [], [created]],
    ['is created once', [created], []],
    ['is not created again after it was cancelled', [created, cancelled], []],
  ])('%s', (_, before, after) => {
    given(batch, before).when({ type: 'create', batch: data }).then(after);
  });

  it.each<readonly [words: string, before: readonly BatchEvent[], after: readonly BatchEvent[] | 'not_found']>([
    ['is cancelled', [created], [cancelled]],
    ['is cancelled once', [created, cancelled], []],
    ['that does not exist is not cancelled', [], 'not_found'],
  ])('%s', (_, before, after) => {
    given(batch, before).when({ type: 'cancel' }).then(after);
  });

  it('F3: frees its users when it is cancelled', () => {
    const there = {
      'schedule-acme-2026-03-02': [{ type: 'users-scheduled.v1', data: { ...data, scheduled: 2 } } as const],
    };
    expect(schedule.category).toBe('schedule');
    expect(follow(batchFollowers, [{ ...cancelled, stream: 'batch-a' }], there)).toEqual({
      'schedule-acme-2026-03-02': [{ type: 'users-freed.v1', data: { batch_id: 'a', scheduled: 0 } }],
    });
  });

  it('2.13, B8: has a row with its state', async () => {
    const stream = 'batch-a';
    expect(await rowsOf(batchesView, [{ ...created, stream }])).toEqual({ a: { ...data, status: 'pending' } });
    const rows = await rowsOf(batchesView, [
      { ...created, stream },
      { ...cancelled, stream },
    ]);
    expect(rows).toEqual({ a: { ...data, status: 'cancelled' } });
    expect(JSON.stringify(presentBatch({ ...data, status: 'cancelled' }))).toBe(
      '{"send_at":"2026-03-02T12:00:00Z","deal_id":"spa","status":"cancelled","user_ids":["u1","u2"],"mode":"suppress","id":"a"}',
    );
  });
});

describe('7.4: the time of a batch', () => {
  const deal: SaleWindow = { state: 'in-flight', start_at: SEND_AT - 1_000, end_at: SEND_AT + 1_000 };
  it.each<readonly [words: string, deal: SaleWindow | null | undefined, sendAt: number | undefined, codes: string[]]>([
    ['fits', deal, SEND_AT, []],
    ['fits an approved deal', { ...deal, state: 'approved' }, SEND_AT, []],
    ['may be the deal’s start', { ...deal, start_at: SEND_AT }, SEND_AT, []],
    ['needs a deal', null, SEND_AT, ['unknown']],
    ['is not looked at without a deal', undefined, SEND_AT, []],
    ['needs a deal on sale', { ...deal, state: 'paused' }, SEND_AT, ['not_sold']],
    ['is missing', { ...deal, state: 'submitted' }, undefined, ['not_sold']],
    ['is too early for the deal', { ...deal, start_at: SEND_AT + 1 }, SEND_AT, ['before_start']],
    ['is too late for the deal', { ...deal, end_at: SEND_AT }, SEND_AT, ['after_end']],
    ['has several faults', { ...deal, state: 'landed' }, NOW, ['not_sold', 'not_tomorrow', 'before_start']],
  ])('%s', (_, window, sendAt, codes) => {
    expect(timeFaults(window, sendAt, NOW).map(({ code }) => code)).toEqual(codes);
  });
});

describe('the parameters of a batch', () => {
  const sent = { deal_id: 'spa', user_ids: ['u1', 2], mode: 'augment', send_at: '2026-03-02T12:00:00Z' };
  const codes = (parameters: object): readonly unknown[] =>
    readNewBatch({ ...sent, ...parameters }).faults.map(({ field, code }) => `${field} ${code}`);

  it('4.14, A2: are read from lists and texts', () => {
    const read = { dealId: 'spa', userIds: ['u1', '2'], mode: 'augment', sendAt: SEND_AT, faults: [] };
    expect(readNewBatch(sent)).toEqual(read);
    expect(readNewBatch({ ...sent, user_ids: 'u1,2' })).toEqual(read);
    expect(readNewBatch({ ...sent, user_ids: ['u1', { id: 2 }, null] }).userIds).toEqual(['u1', '', '']);
  });

  it.each<readonly [words: string, parameters: object, codes: readonly string[]]>([
    [
      'nothing',
      { deal_id: undefined, send_at: '', user_ids: [], mode: null },
      ['deal_id missing', 'send_at missing', 'user_ids missing', 'mode missing'],
    ],
    ['no time', { send_at: 'tomorrow' }, ['send_at not_tomorrow']],
    ['no mode', { mode: 'shout' }, ['mode unknown']],
    ['8, F2: 1000 ids', { user_ids: Array(1_000).fill('u') }, []],
    ['8, F2: 1001 ids', { user_ids: Array(1_001).fill('u') }, ['user_ids too_many']],
    ['8, F2: 1001 ids in a text', { user_ids: Array(1_001).fill('u').join(',') }, ['user_ids too_many']],
  ])('7.4, F1: %s', (_, parameters, expected) => {
    expect(codes(parameters)).toEqual(expected);
  });

  it('F1, 7.4: their faults have the messages of the interface, in its order', () => {
    const faults: readonly BatchFault[] = [
      { field: 'mode', code: 'unknown' },
      { field: 'user_ids', code: 'day_full' },
      { field: 'send_at', code: 'missing' },
      { field: 'deal_id', code: 'unknown' },
    ];
    expect(entriesOf(faults).map(({ type, message, field, resource }) => [type, message, field, resource])).toEqual([
      ['not_found', 'unknown deal', 'deal_id', 'batch'],
      ['missing_field', 'is required', 'send_at', 'batch'],
      ['invalid', 'are too many for that day', 'user_ids', 'batch'],
      ['invalid', 'must be either (suppress or augment)', 'mode', 'batch'],
    ]);
  });
});
