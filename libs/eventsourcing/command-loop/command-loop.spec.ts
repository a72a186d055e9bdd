import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { CommandLoop, PAGE_BYTES, SystemClock, type Clock } from '#eventsourcing';
import { openGuard } from '../../../test/support/open-guard.js';
import { rehearse } from './rehearse.js';
import { DomainError, causationOf, defineFollowers, direct, type Instant, type Recorded } from '#kernel';
import { contextAt, copy, tally, tallyCodec, tallyFollowers, added } from '../../../test/support/tally.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { timeWith } from '../../../test/support/time-with.js';

describe('the command loop on the embedded log', () => {
  let folder: ReturnType<typeof tempFolder>;
  let log: EmbeddedLog;
  let loops: CommandLoop[];

  beforeEach(async () => {
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    loops = [];
  });

  afterEach(async () => {
    for (const loop of loops) await loop.close();
    await log.close();
    folder.remove();
  });

  const open = (clock: Clock = new SystemClock(Date.now), followers = tallyFollowers): CommandLoop => {
    const loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock,
      followers: [followers],
      machine: thisMachine,
      guard: openGuard(),
    });
    loops.push(loop);
    return loop;
  };
  const stream = (name: string): Promise<readonly Recorded[]> => log.readStream(name, 0, 1_000);

  it('refuses a second table of followers for one category, which would take the place of the first', () => {
    const followers = [tallyFollowers, { ...tallyFollowers, on: {} }];
    const clock = new SystemClock(Date.now);
    expect(
      () => new CommandLoop({ log, codec: tallyCodec, clock, followers, machine: thisMachine, guard: openGuard() }),
    ).toThrow('there are two tables of followers with the name tally');
  });

  it('decides, writes and answers with its events', async () => {
    const context = contextAt();
    const done = await open().execute(tally, 'a', { key: 'one' }, context);
    const [event] = await stream('tally-a');
    expect(done.events).toEqual([expect.objectContaining({ type: 'added.v1', revision: 0, id: event?.id })]);
    expect(done.state).toEqual({ total: 1, keys: ['one'] });
    expect(done.position).toBe(event?.position);
    expect(event?.metadata).toMatchObject({
      command_id: context.commandId,
      correlation: context.correlation,
      causation: null,
      actor: 'partner:test',
    });
  });

  it('knows all of a stream whose events are so large that one read does not return them', async () => {
    const large = 'x'.repeat(500_000);
    const keys = Array.from({ length: Math.ceil((1.2 * PAGE_BYTES) / large.length) }, (_, index) => `${index}${large}`);
    const writer = open();
    for (const key of keys) await writer.execute(tally, 'large', { key }, contextAt());
    expect((await open().read(tally, 'large')).keys).toHaveLength(keys.length);
  });

  it('H6.1: says which of its events the state of each command has, also among others in one append', async () => {
    const loop = open();
    const add = (key: string) => loop.execute(tally, 'a', { key }, contextAt());
    await add('one');
    const [again, two, same, three, read] = await Promise.all([
      add('one'),
      add('two'),
      add('two'),
      add('three'),
      loop.readNowAt(tally, 'a'),
    ]);
    const events = await stream('tally-a');
    expect(loop.stats.appends).toBe(2);
    const last = events.at(-1)?.position;
    const places = [again, two, same, three].map(({ state, last: place }) => [state.keys.at(-1), place]);
    expect(places).toEqual([
      ['one', { position: last, back: 2 }],
      ['two', { position: last, back: 1 }],
      ['two', { position: last, back: 1 }],
      ['three', { position: last, back: 0 }],
    ]);
    // A read has the state after all of it.
    expect([read.state.keys.at(-1), read.last]).toEqual(['three', { position: last, back: 0 }]);
    expect(await loop.readAt(tally, 'a')).toEqual(read);
    expect((await loop.readAt(tally, 'none')).last).toBeUndefined();
  });

  it('decides the commands that wait for one stream one after another and writes them in one append', async () => {
    const loop = open();
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
    const outcomes = await Promise.all(keys.map((key) => loop.execute(tally, 'hot', { key }, contextAt())));
    expect(loop.stats).toEqual({ commands: 50, appends: 1, conflicts: 0, loads: 1 });
    expect(outcomes.map(({ state }) => state.total)).toEqual(keys.map((_, index) => index + 1));
    expect((await stream('tally-hot')).map(({ revision }) => revision)).toEqual(keys.map((_, index) => index));
    expect(new Set((await stream('tally-hot')).map(({ id }) => id)).size).toBe(50);
  });

  it('keeps the effects of a refused command out of the state for the next ones', async () => {
    const loop = open();
    const outcomes = await Promise.allSettled([
      loop.execute(tally, 'a', { key: 'one', times: 3 }, contextAt()),
      loop.execute(tally, 'a', { key: 'much', times: 5, cap: 5 }, contextAt()),
      loop.execute(tally, 'a', { key: 'fits', times: 2, cap: 5 }, contextAt()),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await loop.read(tally, 'a')).toMatchObject({ total: 5 });
  });

  it('splits the events of one command at 100 per append, in order', async () => {
    const loop = open();
    const done = await loop.execute(tally, 'a', { key: 'k', times: 250, copies: ['x'] }, contextAt());
    expect(loop.stats.appends).toBeGreaterThanOrEqual(3);
    expect(done.events).toHaveLength(250);
    const events = await stream('tally-a');
    expect(events.map(({ data }) => (data as { total: number }).total)).toEqual(done.events.map((_, i) => i + 1));
    expect(new Set([...events, ...(await stream('copy-x'))].map(({ id }) => id)).size).toBe(500);
  });

  it('never splits a command that fits one append, however full the batch before it is', async () => {
    const loop = open();
    const lists: number[] = [];
    const append = log.append.bind(log);
    log.append = (list) => {
      lists.push(list[0].events.length);
      return append(list);
    };
    await Promise.all([
      ...Array.from({ length: 99 }, (_, index) => loop.execute(tally, 'a', { key: `k${index}` }, contextAt())),
      loop.execute(tally, 'a', { key: 'three', times: 3 }, contextAt()),
      loop.execute(tally, 'a', { key: 'last' }, contextAt()),
    ]);
    expect(lists).toEqual([99, 4]);
    expect((await stream('tally-a')).map(({ id }) => id).length).toBe(103);
  });

  it('never splits a command that fits one append, however many bytes the batch before it has', async () => {
    const loop = open();
    const lists: number[] = [];
    const append = log.append.bind(log);
    log.append = (list) => {
      lists.push(list[0].events.length);
      return append(list);
    };
    await Promise.all([
      loop.execute(tally, 'a', { key: 'some', filling: 80_000 }, contextAt()),
      loop.execute(tally, 'a', { key: 'many', times: 2, filling: 80_000 }, contextAt()),
    ]);
    expect(lists).toEqual([1, 2]);
  });

  it('refuses only the command whose event is too large for any append', async () => {
    const loop = open();
    const [before, large, after] = await Promise.allSettled([
      loop.execute(tally, 'a', { key: 'before' }, contextAt()),
      loop.execute(tally, 'a', { key: 'large', filling: 600 * 1024 }, contextAt()),
      loop.execute(tally, 'a', { key: 'after' }, contextAt()),
    ]);
    expect(before).toMatchObject({ status: 'fulfilled' });
    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'too_large' } });
    expect(after).toMatchObject({ status: 'fulfilled', value: { state: { total: 2 } } });
  });

  it('accepts an event with 500 KiB of plain letters, which a mere estimate would refuse', async () => {
    await open().execute(tally, 'a', { key: 'large', filling: 500 * 1024 }, contextAt());
    expect(await stream('tally-a')).toHaveLength(1);
  });

  it('answers a repeat with the present state and writes nothing', async () => {
    const loop = open();
    await loop.execute(tally, 'a', { key: 'one' }, contextAt());
    const again = await loop.execute(tally, 'a', { key: 'one' }, contextAt());
    expect(again).toMatchObject({ events: [], followers: [], position: undefined, state: { total: 1 } });
    expect(await stream('tally-a')).toHaveLength(1);
  });

  it('lets other work have its turn while it reads a page of large events', async () => {
    await open().execute(tally, 'a', { key: 'k', times: 250 }, contextAt());
    // A clock that each look moves on by more than a slice.
    let now = performance.now();
    let turns = 0;
    const time = timeWith({ monotonic: () => (now += 6), turn: async () => void (turns += 1) });
    const machine = { ...thisMachine, time };
    const clock = new SystemClock(Date.now);
    const loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock,
      followers: [tallyFollowers],
      machine,
      guard: openGuard(),
    });
    loops.push(loop);
    expect(await loop.read(tally, 'a')).toMatchObject({ total: 250 });
    expect(turns).toBe(13);
  });

  it('continues a stream that an earlier process wrote, over many pages', async () => {
    await open().execute(tally, 'a', { key: 'k', times: 2_100 }, contextAt());
    expect(await open().read(tally, 'a')).toMatchObject({ total: 2_100 });
  });

  it('B2: events of one request have ids of their own, over several commands and streams', async () => {
    const loop = open();
    const context = contextAt();
    await loop.execute(tally, 'a', { key: 'first', copies: ['x', 'y'] }, context);
    await loop.execute(tally, 'a', { key: 'second', copies: ['x'] }, context);
    await loop.execute(tally, 'b', { key: 'third' }, context);
    const ids = (await Promise.all(['tally-a', 'tally-b', 'copy-x', 'copy-y'].map(stream))).flat().map(({ id }) => id);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
  });

  describe('time', () => {
    // A clock that was ahead once must not make later decisions last longer.
    it('comes from the process, whatever the last event of the stream says', async () => {
      const times: Instant[] = [5_000, 3_000, 6_000];
      const loop = open({ now: () => times.shift() ?? 6_000 });
      for (const key of ['a', 'b', 'c']) await loop.execute(tally, 'a', { key }, contextAt());
      const events = await stream('tally-a');
      expect(events.map(({ metadata }) => metadata.time)).toEqual([5_000, 3_000, 6_000]);
      expect(events.map(({ data }) => (data as { at: Instant }).at)).toEqual([5_000, 3_000, 6_000]);
    });

    it('is read once for a batch', async () => {
      let reads = 0;
      const loop = open({ now: () => 1_000 + reads++ });
      await Promise.all(['a', 'b', 'c'].map((key) => loop.execute(tally, 'a', { key }, contextAt())));
      expect((await stream('tally-a')).map(({ metadata }) => metadata.time)).toEqual([1_000, 1_000, 1_000]);
    });
  });

  describe('followers', () => {
    it('are written with their decision and carry its time, command and place', async () => {
      const loop = open();
      const context = contextAt();
      const done = await loop.execute(tally, 'a', { key: 'one', copies: ['x', 'y'] }, context);
      expect(loop.stats.appends).toBe(1);
      const [decision] = await stream('tally-a');
      const copies = [...(await stream('copy-x')), ...(await stream('copy-y'))];
      expect(copies).toHaveLength(2);
      for (const { metadata, data } of copies) {
        expect(metadata).toEqual({ ...decision?.metadata, causation: decision && causationOf(decision) });
        expect(data).toMatchObject({ at: decision?.metadata.time });
      }
      expect(done.followers.map((event) => event.stream)).toEqual(['copy-x', 'copy-y']);
      expect(done.position).toBe(copies[1]?.position);
    });

    it('go through their own queue, with the decision’s time, if another process wrote their stream', async () => {
      const [rival, loop] = [open(), open({ now: () => 5_000_000_000_000 })];
      await rival.execute(copy, 'x', { key: 'there before' }, contextAt());
      const done = await loop.execute(tally, 'a', { key: 'one', copies: ['x'] }, contextAt());
      expect(done.followers).toEqual([expect.objectContaining({ stream: 'copy-x', revision: 1 })]);
      const [, event] = await stream('copy-x');
      expect(event?.metadata).toMatchObject({ time: 5_000_000_000_000, causation: 'tally-a@0' });
      expect(done.position).toBe(event?.position);
    });

    // EventStoreDB hides the events of a stream by $tb, and then writes to it as to a new one (seed 200024 of the simulator).
    it('that do not begin their stream are decided on what it has, never as if it were new', async () => {
      const late = defineFollowers(tally, { 'added.v1': ({ data: { key } }) => [direct(copy, 'x', { key })] });
      const [rival, loop] = [open(), open(undefined, late)];
      await rival.execute(copy, 'x', { key: 'there before' }, contextAt());
      const lists = jest.spyOn(log, 'append');
      const done = await loop.execute(tally, 'a', { key: 'one' }, contextAt());
      expect(lists.mock.calls.map(([list]) => list.map(({ stream, expected }) => `${stream} ${expected}`))).toEqual([
        ['tally-a -1'],
        ['copy-x 0'],
      ]);
      expect(done.followers).toEqual([expect.objectContaining({ stream: 'copy-x', revision: 1 })]);
      // It joins once its stream is known.
      await loop.execute(tally, 'b', { key: 'two' }, contextAt());
      expect(lists.mock.calls.at(-1)?.[0]).toMatchObject([{ stream: 'tally-b' }, { stream: 'copy-x', expected: 1 }]);
      lists.mockRestore();
    });

    it('from several events to one stream are all written, in order', async () => {
      const loop = open();
      const done = await loop.execute(tally, 'a', { key: 'k', times: 5, copies: ['x', 'y'] }, contextAt());
      expect(done.followers).toHaveLength(10);
      const causes = (await stream('copy-x')).map(({ metadata }) => metadata.causation);
      expect(causes).toEqual([0, 1, 2, 3, 4].map((revision) => `tally-a@${revision}`));
    });

    it('keep their order if the first of two meets a conflict', async () => {
      const [rival, loop] = [open(), open()];
      await rival.execute(copy, 'x', { key: 'there before' }, contextAt());
      await loop.execute(tally, 'a', { key: 'k', times: 3, copies: ['x'] }, contextAt());
      expect((await stream('copy-x')).map(({ data }) => (data as { key: string }).key)).toEqual([
        'there before',
        'k',
        'k.1',
        'k.2',
      ]);
    });

    it('without events do not delay the answer', async () => {
      const loop = open();
      await loop.execute(copy, 'x', { key: 'one' }, contextAt());
      const done = await loop.execute(tally, 'a', { key: 'one', copies: ['x'] }, contextAt());
      expect(done.followers).toEqual([]);
      expect(await stream('copy-x')).toHaveLength(1);
    });

    it('have no followers of their own', async () => {
      const loop = open();
      const directive = direct(tally, 'a', { key: 'one', copies: ['x'] });
      await loop.direct(directive, contextAt(), { causation: 'elsewhere-1@0', time: 77 });
      expect((await stream('tally-a'))[0]?.metadata).toMatchObject({ causation: 'elsewhere-1@0', time: 77 });
      expect(await stream('copy-x')).toEqual([]);
    });
  });

  describe('two loops on one log', () => {
    it('each decide again on what the other wrote: no sum is lost, no cap passed', async () => {
      const [one, two] = [open(), open()];
      const tries = Array.from({ length: 120 }, (_, index) =>
        (index % 2 === 0 ? one : two)
          .execute(tally, 'hot', { key: `k${index}`, cap: 100 }, contextAt())
          .then(() => 'yes')
          .catch((error: unknown) => (error instanceof DomainError ? 'full' : error)),
      );
      const answers = await Promise.all(tries);
      expect(answers.filter((answer) => answer === 'yes')).toHaveLength(100);
      expect(answers.filter((answer) => answer === 'full')).toHaveLength(20);
      expect(one.stats.conflicts + two.stats.conflicts).toBeGreaterThan(0);
      expect((await stream('tally-hot')).at(-1)?.data).toMatchObject({ total: 100 });
    });

    // A cached state may be old: a buyer must not be refused stock that another process has freed since.
    it('read the log before they refuse, and before they answer that nothing changes', async () => {
      const [one, two] = [open(), open()];
      await one.execute(tally, 'a', { key: 'one' }, contextAt());
      await log.append([{ stream: 'tally-a', expected: 0, events: [added('reset', -5)] }]);
      const done = await one.execute(tally, 'a', { key: 'two', cap: 1 }, contextAt());
      expect(done.state).toEqual({ total: -4, keys: ['one', 'reset', 'two'] });
      await two.read(tally, 'a');
      const there = await one.execute(tally, 'a', { key: 'three' }, contextAt());
      const again = await two.execute(tally, 'a', { key: 'two' }, contextAt());
      expect(again.events).toEqual([]);
      expect(again.state.keys).toEqual(there.state.keys);
    });

    it('rehearse commands on what the log has, not on what they knew', async () => {
      const [one, two] = [open(), open()];
      const fits = (cap: number): Promise<number> => rehearse(one, tally, 'a', [{ key: 'one', cap }], 1_000);
      await two.execute(tally, 'a', { key: 'first', times: 3 }, contextAt());
      await expect(fits(3)).rejects.toMatchObject({ code: 'full' });
      await log.append([{ stream: 'tally-a', expected: 2, events: [added('freed', 0)] }]);
      await fits(3);
      await two.execute(tally, 'a', { key: 'again', times: 3 }, contextAt());
      await expect(fits(3)).rejects.toMatchObject({ code: 'full' });
    });

    it('never cache an absent stream', async () => {
      const [one, two] = [open(), open()];
      expect(await two.read(tally, 'late')).toEqual(tally.initialState);
      await one.execute(tally, 'late', { key: 'one' }, contextAt());
      expect(await two.read(tally, 'late')).toMatchObject({ total: 1 });
    });
  });
});
