import { describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { follow, given, stateOf } from '../../../test/support/given-when-then.js';
import { BatchInvalid, type BatchFault } from '../batch/batch.faults.js';
import { scheduleFollowers } from '../followers.js';
import { isTomorrow, scheduleId } from './schedule-day.js';
import { schedule, type ScheduleUsers } from './schedule.decider.js';
import type { BatchMode, ScheduleEvent } from './schedule.events.js';
import { isSuppressed } from './schedule.state.js';

const NOW = Date.parse('2026-03-01T09:30:00Z');
const SEND_AT = Date.parse('2026-03-02T12:00:00Z');

const wanted = (batch_id: string, user_ids: readonly string[], withUnknown = false): ScheduleUsers => ({
  type: 'schedule',
  batch: { batch_id, partner_id: 'acme', deal_id: 'spa', mode: 'suppress', send_at: SEND_AT, user_ids },
  withUnknown,
});
const scheduled = (
  batch_id: string,
  user_ids: readonly string[],
  before = 0,
  mode: BatchMode = 'suppress',
): ScheduleEvent => ({
  type: 'users-scheduled.v1',
  data: { ...wanted(batch_id, user_ids).batch, mode, scheduled: before + user_ids.length },
});
const freed = (batch_id: string, after: number): ScheduleEvent => ({
  type: 'users-freed.v1',
  data: { batch_id, scheduled: after },
});
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `u${index}`);

describe('F3, 4.14: a partner’s day', () => {
  it.each<
    readonly [words: string, before: readonly ScheduleEvent[], command: ScheduleUsers, after: readonly ScheduleEvent[]]
  >([
    ['takes users', [], wanted('a', ['u1', 'u2']), [scheduled('a', ['u1', 'u2'])]],
    ['drops users of another batch', [scheduled('b', ['u1'])], wanted('a', ['u1', 'u2']), [scheduled('a', ['u2'], 1)]],
    ['takes a batch once', [scheduled('a', ['u1'])], wanted('a', ['u1', 'u2']), []],
    ['does not take a cancelled batch again', [scheduled('a', ['u1']), freed('a', 0)], wanted('a', ['u1']), []],
    [
      'takes users that are free again',
      [scheduled('b', ['u1', 'u2']), freed('b', 0)],
      wanted('a', ['u1']),
      [scheduled('a', ['u1'])],
    ],
  ])('%s', (_, before, command, after) => {
    given(schedule, before).when(command, NOW).then(after);
  });

  it.each<readonly [words: string, before: readonly ScheduleEvent[], command: ScheduleUsers, code: string]>([
    ['when all are in other batches', [scheduled('b', ['u1'])], wanted('a', ['u1']), 'scheduled'],
    [
      'when some are unknown and the others in other batches',
      [scheduled('b', ['u1'])],
      wanted('a', ['u1'], true),
      'invalid',
    ],
    ['when all are unknown', [], wanted('a', [], true), 'invalid'],
    ['8, F2: when the day would pass 10000', [scheduled('b', many(9_999))], wanted('a', ['v1', 'v2']), 'day_full'],
  ])('refuses %s', (_, before, command, code) => {
    expect(faultsOf(before, command)).toEqual([{ field: 'user_ids', code }]);
  });

  it.each<readonly [words: string, size: number, times: number]>([
    ['full', 10_000, 50],
    ['small', 1, 20_000],
  ])('takes no more once batches were made and cancelled again and again: %s ones', (_, size, times) => {
    const rounds = Array.from({ length: times }, (__, round) => [
      scheduled(`b${round}`, many(size)),
      freed(`b${round}`, 0),
    ]).flat();
    expect(faultsOf(rounds, wanted('a', ['u1']))).toEqual([{ field: 'user_ids', code: 'day_used_up' }]);
    given(schedule, rounds.slice(2))
      .when(wanted('a', ['u1']), NOW)
      .then([scheduled('a', ['u1'])]);
  });

  it('8.5, 8, F2: takes the ten thousandth user, also beside one who has a place already', () => {
    given(schedule, [scheduled('b', many(9_999))])
      .when(wanted('a', ['u7', 'v1']), NOW)
      .then([scheduled('a', ['v1'], 9_999)]);
  });

  it('F2: takes nobody for a day that has come', () => {
    expect(faultsOf([], wanted('a', ['u1']), NOW + DAY)).toEqual([{ field: 'send_at', code: 'not_tomorrow' }]);
  });

  it.each<readonly [words: string, before: readonly ScheduleEvent[], after: readonly ScheduleEvent[]]>([
    ['the users of a cancelled batch', [scheduled('b', ['u3']), scheduled('a', ['u1', 'u2'], 1)], [freed('a', 1)]],
    ['them once', [scheduled('a', ['u1']), freed('a', 0)], []],
    ['nobody for an unknown batch', [scheduled('b', ['u1'])], []],
  ])('frees %s', (_, before, after) => {
    given(schedule, before).when({ type: 'free', batch_id: 'a' }, NOW).then(after);
  });

  it('F5: knows who gets no daily update', () => {
    const before = [
      scheduled('a', ['u1']),
      scheduled('b', ['u2'], 1, 'augment'),
      scheduled('c', ['u3'], 2),
      freed('c', 2),
    ];
    const state = stateOf(schedule, before);
    expect(['u1', 'u2', 'u3', 'u4'].filter((id) => isSuppressed(state, id))).toEqual(['u1']);
  });

  it('is folded in place while it is loaded', () => {
    const events = [scheduled('a', ['u1', 'u2']), scheduled('b', ['u3'], 2), freed('a', 1)];
    const { transient } = schedule;
    if (transient === undefined) throw new Error('it has no mutable form');
    const folded = transient.asImmutable(stateOf(schedule, events, transient.asMutable(schedule.initialState)));
    expect(folded).toEqual(stateOf(schedule, events));
    expect(schedule.initialState.users.size + schedule.initialState.batches.size).toBe(0);
  });

  it('3.5: makes a pending batch of the users that it takes', () => {
    const event = { ...scheduled('a', ['u1']), stream: 'schedule-acme-2026-03-02', time: 7 };
    expect(follow(scheduleFollowers, [event])).toEqual({
      'batch-a': [{ type: 'batch-created.v1', data: { ...wanted('a', ['u1']).batch, created_at: 7 } }],
    });
  });
});

describe('8.6, F2: the next UTC day', () => {
  it.each([
    ['2026-03-01T23:59:59.999Z', false],
    ['2026-03-02T00:00:00Z', false],
    ['2026-03-02T00:00:00.001Z', true],
    ['2026-03-02T23:59:59.999Z', true],
    ['2026-03-03T00:00:00Z', false],
  ])('%s: %s', (time, expected) => {
    expect(isTomorrow(Date.parse(time), NOW)).toBe(expected);
  });

  it('names the stream of a partner’s day', () => {
    expect(scheduleId('acme', SEND_AT)).toBe('acme-2026-03-02');
  });
});

function faultsOf(before: readonly ScheduleEvent[], command: ScheduleUsers, now = NOW): readonly BatchFault[] {
  try {
    schedule.decide(command, stateOf(schedule, before), now);
  } catch (error) {
    if (error instanceof BatchInvalid) return error.faults;
    throw error;
  }
  throw new Error('it was not refused');
}
