import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { subscriptionsView } from '#engagement/model';
import { Unavailable } from '#eventsourcing';
import { DAY, MINUTE, type Position } from '#kernel';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { mailing } from '../model.js';
import type { SubscriptionMailDelivery } from '../subscription-mail/subscription-mail-delivery.js';
import { DailyUpdate } from './daily-update.js';
import { DAILY_UPDATE, dailyUpdate, type DailyUpdateCommand } from './daily-update.decider.js';
import type { DailyUpdateEvent } from './daily-update.events.js';
import { dailyUpdates } from './daily-updates.work.js';
import { engineOf } from '../../../test/support/engine-of.js';

const HOUR = 60 * MINUTE;
const EIGHT = 8 * HOUR;
const at = (day: number, hour: number): number => day * DAY + hour * HOUR;
const planned = (day: number, hour = 8): DailyUpdateEvent => ({
  type: 'daily-update-planned.v1',
  data: { day, due_at: at(day, hour) },
});
const unplanned = (day: number): DailyUpdateEvent => ({ type: 'daily-update-unplanned.v1', data: { day } });
const ended = (day: number): DailyUpdateEvent => ({ type: 'daily-update-ended.v1', data: { day } });
const plan = (hour: number | null = 8): DailyUpdateCommand => ({
  type: 'plan',
  at: hour === null ? null : hour * HOUR,
});
const end = (day: number): DailyUpdateCommand => ({ type: 'end', day, at: EIGHT });

type Line = readonly [
  words: string,
  before: readonly DailyUpdateEvent[],
  command: DailyUpdateCommand,
  now: number,
  after: readonly DailyUpdateEvent[],
];

describe('F5: the daily update', () => {
  it.each<Line>([
    ['is planned for today', [], plan(), at(10, 7), [planned(10)]],
    ['first goes out at its time, not with the setting', [], plan(), at(10, 9), [planned(11)]],
    ['stays planned at a restart', [planned(10)], plan(), at(10, 7), []],
    ['goes out late on the same day if the service was down', [planned(10)], plan(), at(10, 23), []],
    ['is dropped after its day, and the next one goes out', [planned(10)], plan(), at(12, 9), [planned(12)]],
    ['waits for its time after days of silence', [planned(10)], plan(), at(12, 7), [planned(12)]],
    ['ends, and the next day’s is planned', [planned(10)], end(10), at(10, 9), [ended(10), planned(11)]],
    ['ends once', [planned(10), ended(10), planned(11)], end(10), at(10, 9), []],
    ['goes out once a day', [planned(10), ended(10), planned(11)], plan(), at(10, 9), []],
    [
      'goes out once a day at a later time too',
      [planned(10), ended(10), planned(11)],
      plan(12),
      at(10, 9),
      [planned(11, 12)],
    ],
    ['moves to another time of its day', [planned(10)], plan(12), at(10, 7), [planned(10, 12)]],
    ['is planned no more without a setting', [planned(10)], plan(null), at(10, 7), [unplanned(10)]],
    ['was never planned without a setting', [], plan(null), at(10, 7), []],
    ['is unplanned once', [planned(10), unplanned(10)], plan(null), at(10, 7), []],
    ['is planned again', [planned(10), unplanned(10)], plan(), at(20, 7), [planned(20)]],
    [
      'is not sent twice around a change of the setting',
      [planned(10), ended(10), planned(11), unplanned(11)],
      plan(12),
      at(10, 9),
      [planned(11, 12)],
    ],
  ])('%s', (_, before, command, now, after) => {
    given(dailyUpdate, before).when(command, now).then(after);
  });

  it('is one row of work, due at its time', async () => {
    const rows = (...events: readonly DailyUpdateEvent[]): Promise<unknown> =>
      rowsOf(
        dailyUpdates.view,
        events.map((event) => ({ ...event, stream: 'dailyUpdate-plan' })),
      );
    expect(await rows(planned(10))).toEqual({ plan: { due_at: at(10, 8) } });
    expect(await rows(planned(10), planned(10, 12))).toEqual({ plan: { due_at: at(10, 12) } });
    expect(await rows(planned(10), ended(10), planned(11))).toEqual({ plan: { due_at: at(11, 8) } });
    expect(await rows(planned(10), unplanned(10))).toEqual({});
  });
});

describe('F5: the run of a daily update', () => {
  let opened: PeopleEngine;
  beforeEach(async () => {
    opened = await openPeopleEngine([mailing]);
  });
  afterEach(() => opened.close());

  // Whoever confirmed before its time has the update: a view may lag.
  it('reads regions and subscriptions only when both views have everything that was written before', async () => {
    const seen: string[] = [];
    const { clock, log } = opened.engine;
    const heads: Position[] = [];
    const reached = async (view: string, head: Position): Promise<void> => {
      heads.push(head);
      // The update would long be sent if it did not wait.
      await pause(50);
      seen.push(`${view} reached`);
    };
    const reader = {
      find: () =>
        Promise.resolve(void seen.push('subscriptions read')).then(() => [{ row: { subscription_id: 's0' } }]),
    };
    const engine = engineOf({
      ...opened.engine,
      views: { reader: () => reader },
      freshness: {
        until: ([view]: readonly { readonly name: string }[], head: Position) => reached(view?.name ?? '', head),
      },
    });
    const regions = {
      all: () => Promise.resolve(void seen.push('regions read')).then(() => [{ id: 'boston', active: true }]),
      until: (head: Position) => reached('regions', head),
    };
    const delivery = { isStopping: false, deliver: () => Promise.resolve(void seen.push('mail sent')) };
    const update = new DailyUpdate(
      engine.writer,
      engine.reader,
      engine.clock,
      engine.time,
      regions as never,
      { find: () => Promise.resolve([{}]) } as never,
      delivery as unknown as SubscriptionMailDelivery,
      0,
      () => undefined,
    );
    await update.plan();
    clock.follow(clock.ahead + DAY);
    const before = await log.head();
    await update.work.run(DAILY_UPDATE, { due_at: 0 });
    expect(seen.slice(0, 2).toSorted()).toEqual(['regions reached', `${subscriptionsView.name} reached`]);
    expect(seen.slice(2)).toEqual(['regions read', 'subscriptions read', 'mail sent']);
    expect(heads.every((head) => head >= before)).toBe(true);
  });

  // A subscription whose stream was refused once ended the run at its region, day after day.
  it('goes on after a stream that is refused, and its next run is for what it left', async () => {
    const subscribers: Readonly<Record<string, readonly string[]>> = { boston: ['s0', 's1', 's2'], york: ['s3', 's4'] };
    const refused = new Set(['s1', 's3']);
    const asked: string[] = [];
    const told: (readonly string[])[] = [];
    const reader = {
      find: async ({ where }: { readonly where: { readonly of: readonly { readonly value: string }[] } }) =>
        (subscribers[where.of[0]?.value ?? ''] ?? []).map((id) => ({ row: { subscription_id: id } })),
    };
    const delivery = {
      isStopping: false,
      async deliver({ subscription_id: id }: { readonly subscription_id: string }) {
        asked.push(id);
        if (refused.has(id)) throw new Unavailable('the event log needs an operator', 10, `user-of-${id}`);
      },
    };
    const { clock, loop } = opened.engine;
    const views = { reader: () => reader };
    const freshness = { until: async () => undefined };
    const engine = engineOf({ ...opened.engine, views, freshness });
    const regions = {
      all: async () => Object.keys(subscribers).map((id) => ({ id, active: true })),
      until: async () => undefined,
    };
    const update = new DailyUpdate(
      engine.writer,
      engine.reader,
      engine.clock,
      engine.time,
      regions as never,
      { find: async () => [{}] } as never,
      delivery as unknown as SubscriptionMailDelivery,
      0,
      (streams) => told.push(streams),
    );
    const run = (): Promise<void> => update.work.run(DAILY_UPDATE, { due_at: 0 });
    const ended = async (): Promise<number> => (await loop.readNow(dailyUpdate, DAILY_UPDATE)).ended;
    await update.plan();
    clock.follow(clock.ahead + DAY);
    const today = Math.floor(clock.now() / DAY);
    await expect(run()).rejects.toThrow('mails wait for streams that are refused: user-of-s1, user-of-s3');
    expect([asked, told, await ended()]).toEqual([['s0', 's1', 's2', 's3', 's4'], [['user-of-s1', 'user-of-s3']], -1]);
    refused.delete('s1');
    await expect(run()).rejects.toThrow('user-of-s3');
    expect(asked.slice(5)).toEqual(['s1', 's3']);
    refused.clear();
    await run();
    expect([asked.slice(7), await ended()]).toEqual([['s3'], today]);
  });
});
