import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog, EmbeddedViewReaders, EmbeddedViewStore, InProcessTimers } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { CommandLoop, Projector, WorkRunner, followersList, followersWork, openWork, everything } from '#eventsourcing';
import { SECOND, causationOf, type Decided, type Recorded } from '#kernel';
import { openGuard } from '../../../test/support/open-guard.js';
import { contextAt, tally, tallyCodec, tallyFollowers } from '../../../test/support/tally.js';
import { tempFolder } from '../../../test/support/temp-folder.js';

it('a second table of followers for one category is refused', () => {
  const twice = [tallyFollowers, { ...tallyFollowers, on: {} }];
  expect(() => followersList(twice, tallyCodec.names)).toThrow('there are two tables of followers with the name tally');
});

const list = followersList([tallyFollowers], tallyCodec.names);
const { view } = list;

describe('the list of followers that a crash cut off', () => {
  describe('as a view', () => {
    let position = 0n;
    const decision = (revision: number, copies: readonly string[], time = 1_000): Recorded => ({
      type: 'added.v1',
      data: { key: `k${revision}`, total: revision, at: time, copies, filling: '' },
      id: `d${revision}`,
      stream: 'tally-a-b',
      revision,
      position: (position += 1n),
      metadata: { time, command_id: 'c', correlation: 'r', causation: null, actor: 'a' },
    });
    const follower = (of: Recorded, id: string, time = 1_000): Recorded => ({
      ...of,
      type: 'copied.v1',
      data: { key: 'k', at: time },
      stream: `copy-${id}`,
      revision: 0,
      position: (position += 1n),
      metadata: { ...of.metadata, causation: causationOf(of) },
    });
    const fold = (...events: readonly Recorded[]): Record<string, object> => {
      const rows: Record<string, object> = {};
      for (const event of events) {
        for (const key of view.keys(event)) {
          const row = view.apply(rows[key] as never, event, key);
          if (row === undefined) Reflect.deleteProperty(rows, key);
          else rows[key] = row;
        }
      }
      return rows;
    };

    it('opens a row per follower’s stream, due five seconds after the decision', () => {
      expect(fold(decision(0, ['x', 'y', 'x']))).toEqual({
        'tally-a-b>copy-x': { stream: 'tally-a-b', revisions: [0], due_at: 6_000 },
        'tally-a-b>copy-y': { stream: 'tally-a-b', revisions: [0], due_at: 6_000 },
      });
    });

    it('opens none for a decision without followers', () => {
      expect(fold(decision(0, []))).toEqual({});
    });

    it.each([[undefined], [null], [{}], [{ causation: 7 }], [{ causation: 'x' }], ['text'], [{ $correlationId: 'a' }]])(
      'skips another application’s event by its metadata, whatever its name: %j',
      (metadata) => {
        const theirs = { ...decision(0, ['x']), metadata } as unknown as Recorded;
        expect(fold(theirs)).toEqual({});
      },
    );

    // Otherwise a charge that names its lost attempt as cause would lose its coupons in a crash.
    it('opens one for a decision that continues an earlier event of its own stream, too', () => {
      const first = decision(1, ['x']);
      const goingOn = { ...first, metadata: { ...first.metadata, causation: `${first.stream}@0` } };
      expect(Object.keys(fold(goingOn))).toEqual(['tally-a-b>copy-x']);
      expect(fold(goingOn, follower(goingOn, 'x'))).toEqual({});
    });

    it('closes it on the follower’s event, and leaves the other open', () => {
      const first = decision(0, ['x', 'y']);
      expect(Object.keys(fold(first, follower(first, 'y')))).toEqual(['tally-a-b>copy-x']);
      expect(fold(first, follower(first, 'y'), follower(first, 'x'))).toEqual({});
    });

    it('collects the decisions of one stream; a follower’s event closes its decision and the earlier ones', () => {
      const [first, second, third] = [decision(0, ['x']), decision(1, ['x'], 2_000), decision(2, ['x'], 3_000)];
      expect(fold(first, second, third)).toMatchObject({ 'tally-a-b>copy-x': { revisions: [0, 1, 2], due_at: 6_000 } });
      expect(fold(first, second, third, follower(second, 'x'))).toMatchObject({
        'tally-a-b>copy-x': { revisions: [2] },
      });
      expect(fold(first, second, third, follower(third, 'x'))).toEqual({});
    });
  });

  describe('at work', () => {
    let folder: ReturnType<typeof tempFolder>;
    let log: EmbeddedLog;
    let loop: CommandLoop;
    let readers: EmbeddedViewReaders;
    let projector: Projector;
    let now: number;

    beforeEach(async () => {
      folder = tempFolder();
      now = 1_000_000;
      log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
      loop = new CommandLoop({
        log,
        codec: tallyCodec,
        clock: { now: () => now },
        followers: [tallyFollowers],
        machine: thisMachine,
        guard: openGuard(),
      });
      readers = EmbeddedViewReaders.open(join(folder.path, 'views'));
      projector = new Projector({
        log,
        store: EmbeddedViewStore.open(join(folder.path, 'views')),
        codec: tallyCodec,
        views: [view],
        report: () => readers.refresh(),
        time: thisMachine.time,
      });
      await projector.start();
    });
    afterEach(async () => {
      await projector.close();
      await readers.close();
      await loop.close();
      await log.close();
      folder.remove();
    });

    const caughtUp = async (): Promise<void> => {
      const head = await log.head();
      while ((await readers.reader(view).position()) < head) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const openRows = async (): Promise<number> => (await caughtUp(), readers.reader(view).count(everything));
    const sweep = async (): Promise<void> => {
      const clock = { now: () => now };
      const work = followersWork(list, {
        followers: [tallyFollowers],
        log,
        codec: tallyCodec,
        loop,
        clock,
        randomness: thisMachine.randomness,
      });
      const lists = openWork([list], [work], { loop, clock, randomness: thisMachine.randomness });
      const timers = new InProcessTimers(clock, { onError: () => undefined });
      const runner = new WorkRunner({ lists, readers, timers, clock, guard: openGuard() });
      for (const { key } of (await runner.due(view.name)).rows) await runner.run(view.name, key);
    };

    it('a row is for one follower’s stream, and its work touches no other', async () => {
      const crashing = new CommandLoop({
        log,
        codec: tallyCodec,
        clock: { now: () => now },
        followers: [],
        machine: thisMachine,
        guard: openGuard(),
      });
      await crashing.execute(tally, 'a', { key: 'k', copies: ['x', 'y'] }, contextAt());
      await crashing.close();
      await caughtUp();
      const work = followersWork(list, {
        followers: [tallyFollowers],
        log,
        codec: tallyCodec,
        loop,
        clock: { now: () => now },
        randomness: thisMachine.randomness,
      });
      await work.run('tally-a>copy-x', { stream: 'tally-a', revisions: [0], due_at: now });
      expect(await log.readStream('copy-x', 0, 10)).toHaveLength(1);
      expect(await log.readStream('copy-y', 0, 10)).toEqual([]);
    });

    it('is empty while nothing is cut off', async () => {
      await loop.execute(tally, 'a', { key: 'k', times: 3, copies: ['x', 'y'] }, contextAt());
      expect(await openRows()).toBe(0);
    });

    it('completes what a crash cut off, with the decision’s time, cause and request, once', async () => {
      // A loop without followers writes decisions in the state that a crash right after them leaves.
      const crashing = new CommandLoop({
        log,
        codec: tallyCodec,
        clock: { now: () => now },
        followers: [],
        machine: thisMachine,
        guard: openGuard(),
      });
      const context = contextAt();
      const { events } = await crashing.execute(tally, 'a', { key: 'k', times: 2, copies: ['x', 'y'] }, context);
      await crashing.close();
      expect(await openRows()).toBe(2);

      now += 5 * SECOND - 1;
      await sweep();
      expect(await log.readStream('copy-x', 0, 10)).toEqual([]);
      now += 1;
      await sweep();

      const [one, two] = events as readonly [Decided, Decided];
      for (const stream of ['copy-x', 'copy-y']) {
        const copies = await log.readStream(stream, 0, 10);
        expect(copies.map(({ metadata }) => metadata)).toEqual(
          [one, two].map((event) => ({
            ...event.metadata,
            command_id: expect.not.stringMatching(context.commandId),
            causation: causationOf(event),
          })),
        );
      }
      expect(await openRows()).toBe(0);
      await sweep();
      expect(await log.readStream('copy-x', 0, 10)).toHaveLength(2);
      const all = [
        ...(await log.readStream('tally-a', 0, 10)),
        ...(await log.readStream('copy-x', 0, 10)),
        ...(await log.readStream('copy-y', 0, 10)),
      ];
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    });
  });
});
