import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import {
  AppendNotTaken,
  AppendOutcomeUnknown,
  AppendRefused,
  AppendWithdrawn,
  CommandLoop,
  LogFailed,
  type LoopLimits,
  Unavailable,
} from '#eventsourcing';
import { begin } from '#kernel';
import { openGuard } from '../../../test/support/open-guard.js';
import { ScriptedLog, type Fate } from '../../../test/support/scripted-log.js';
import { added, contextAt, copy, tally, tallyCodec, tallyFollowers } from '../../../test/support/tally.js';

const lostBeforeWriting: Fate = async () => {
  throw new AppendOutcomeUnknown('the answer was lost');
};
const lostWritten: Fate = async (write) => {
  write();
  throw new AppendOutcomeUnknown('the answer was lost');
};

const REFUSAL = new AppendRefused('the server does not let its user write to tally-a', 'tally-a');
const refused: Fate = async () => {
  throw REFUSAL;
};
const notTaken: Fate = async () => {
  throw new AppendNotTaken('the server is too busy');
};

describe('how the command loop handles the outcome of an append', () => {
  let log: ScriptedLog;
  let loop: CommandLoop;
  const unhandled = jest.fn();

  const open = (limits: Partial<LoopLimits> = {}): CommandLoop =>
    new CommandLoop({
      log,
      codec: tallyCodec,
      clock: { now: () => 1_000 },
      followers: [tallyFollowers],
      limits,
      machine: thisMachine,
      guard: openGuard(),
    });
  const add = (key: string, more: object = {}): Promise<unknown> =>
    loop.execute(tally, 'a', { key, ...more }, contextAt());

  beforeEach(() => {
    log = new ScriptedLog();
    loop = open();
    unhandled.mockClear();
    process.on('unhandledRejection', unhandled);
  });

  afterEach(async () => {
    await loop.close();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  describe('unknown', () => {
    it('found by its own id: it succeeded and is written once', async () => {
      log.fates.push(lostWritten);
      expect(await add('one', { copies: ['x'] })).toMatchObject({ state: { total: 1 }, events: [{ revision: 0 }] });
      expect(log.of('tally-a')).toHaveLength(1);
      expect(log.of('copy-x')).toHaveLength(1);
    });

    it('not found: repeated unchanged, never two copies at a time', async () => {
      log.fates.push(lostBeforeWriting, lostBeforeWriting);
      await add('one', { copies: ['x'] });
      expect(log.appends).toHaveLength(3);
      expect(log.appends[1]).toEqual(log.appends[0]);
      expect(log.appends[2]).toEqual(log.appends[0]);
      expect(log.mostInFlight).toBe(1);
      expect(log.of('tally-a')).toHaveLength(1);
    });

    it('the loop decides nothing on the stream meanwhile', async () => {
      log.fates.push(lostBeforeWriting);
      const first = add('one');
      while (log.appends.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = add('two');
      await Promise.all([first, second]);
      expect(log.appends.map(([decision]) => decision?.events.length)).toEqual([1, 1, 1]);
      expect(log.mostInFlight).toBe(1);
      expect(log.of('tally-a').map(({ data }) => (data as { key: string }).key)).toEqual(['one', 'two']);
    });

    it('another process’s event in its place: decided again', async () => {
      log.fates.push(async (_write, [decision]) => {
        log.rival(decision?.stream ?? '', added('rival', 10));
        throw new AppendOutcomeUnknown('the answer was lost');
      });
      expect(await add('one')).toMatchObject({ state: { total: 11, keys: ['rival', 'one'] } });
      expect(loop.stats.conflicts).toBe(1);
    });

    // Two commands wait together; the caller of the first repeats it at another process, which writes only that one.
    it('a part of the append in its place is not the append: the rest is decided again, and written', async () => {
      log.fates.push(async (_write, [decision]) => {
        log.rival('tally-a', ...(decision?.events.slice(0, 1) ?? []));
        throw new AppendOutcomeUnknown('the answer was lost');
      });
      const [first, second] = await Promise.all([add('one'), add('two')]);
      expect(first).toMatchObject({ events: [], state: { total: 1 } });
      expect(second).toMatchObject({ events: [{ revision: 1 }], state: { total: 2 } });
      expect(log.of('tally-a').map(({ data }) => (data as { key: string }).key)).toEqual(['one', 'two']);
      expect(loop.stats.conflicts).toBe(1);
    });

    it('another event in a follower’s place is not the follower: it goes through its queue', async () => {
      log.fates.push(async (_write, list) => {
        log.rival('copy-x', { ...added('x', 0), type: 'copied.v1', data: { key: 'rival', at: 1 } });
        return [...log.write(list.slice(0, 1)), { kind: 'unknown' }];
      });
      const { followers } = (await add('one', { copies: ['x'] })) as { followers: readonly object[] };
      expect(followers).toMatchObject([{ stream: 'copy-x', revision: 1, data: { key: 'one' } }]);
      expect(await loop.read(copy, 'x')).toEqual(['rival', 'one']);
    });

    // If ids followed from the command, the other process would have the same ones, and the log would take one append for
    // the other.
    it('two processes that decide one command under one command id write it under ids of their own', async () => {
      const context = contextAt();
      const attempts: string[] = [];
      for (const each of [loop, open()]) {
        log.fates.push(async (_write, [decision]) => {
          attempts.push(...(decision?.events.map(({ id }) => id) ?? []));
          throw new RangeError('not now');
        });
        await expect(each.execute(tally, 'a', { key: 'one' }, context)).rejects.toThrow('not now');
        if (each !== loop) await each.close();
      }
      expect(new Set(attempts).size).toBe(2);
    });

    it('asks again if the stream’s end cannot be read either', async () => {
      await add('before');
      log.fates.push(lostWritten);
      let fails = 1;
      log.onRead = () => {
        if (fails-- > 0) throw new Error('not reachable');
      };
      expect(await add('one')).toMatchObject({ state: { total: 2 } });
      expect(log.of('tally-a')).toHaveLength(2);
    });

    it('the first copy arrives late, between the look and the repeat: it succeeded and is written once', async () => {
      log.fates.push(lostBeforeWriting, async (_write, list) => {
        log.write(list);
        return log.write(list);
      });
      const done = await add('one', { copies: ['x'] });
      expect(done).toMatchObject({ events: [{ revision: 0 }], followers: [{ stream: 'copy-x' }], state: { total: 1 } });
      expect([log.of('tally-a').length, log.of('copy-x').length, loop.stats.conflicts]).toEqual([1, 1, 0]);
    });

    it('of a follower: found by its own id, it counts as written', async () => {
      log.fates.push(async (write) => [...write().slice(0, 1), { kind: 'unknown' }]);
      const { followers } = (await add('one', { copies: ['x'] })) as { followers: readonly object[] };
      expect(followers).toMatchObject([{ stream: 'copy-x', revision: 0 }]);
      expect([log.appends.length, log.of('copy-x').length]).toEqual([1, 1]);
    });

    it('of a follower: not found, it is written through its own queue', async () => {
      log.fates.push(async (_write, list) => [...log.write(list.slice(0, 1)), { kind: 'unknown' }]);
      const { followers } = (await add('one', { copies: ['x'] })) as { followers: readonly object[] };
      expect(followers).toMatchObject([{ stream: 'copy-x', revision: 0 }]);
      expect([log.appends.length, log.of('copy-x').length]).toEqual([2, 1]);
    });

    it('of a follower: it arrives after the look, and still counts as written', async () => {
      log.fates.push(async (write) => {
        const [decision, follower] = write();
        // The look does not see it, but its queue sees it when it reads the stream.
        let looks = 1;
        log.onRead = (stream) => {
          if (stream === 'copy-x' && looks-- > 0) throw new Error('cannot be read');
        };
        return decision === undefined || follower === undefined ? [] : [decision, { kind: 'unknown' }];
      });
      const done = (await add('one', { copies: ['x'] })) as { followers: readonly object[]; position: bigint };
      expect(done.followers).toMatchObject([{ stream: 'copy-x', revision: 0 }]);
      // A reader who sends this position must find the follower too.
      expect(done.position).toBe(log.of('copy-x')[0]?.position);
      expect([log.appends.length, log.of('copy-x').length]).toEqual([1, 1]);
    });

    it('closing ends the repeats', async () => {
      log.fates.push(...Array.from({ length: 100 }, () => lostBeforeWriting));
      const asked = add('one');
      void asked.catch(() => undefined);
      while (log.appends.length < 2) await new Promise((resolve) => setImmediate(resolve));
      await loop.close();
      await expect(asked).rejects.toBeInstanceOf(Unavailable);
      expect(log.appends.length).toBeLessThan(100);
    });
  });

  describe('refused', () => {
    it('by the server: the caller hears it at once, and those who wait for the stream go on', async () => {
      log.fates.push(refused);
      const first = add('one');
      first.catch(() => undefined);
      while (log.appends.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = add('two');
      await expect(first).rejects.toBe(REFUSAL);
      expect(await second).toMatchObject({ state: { total: 1, keys: ['two'] } });
      expect(log.of('tally-a')).toHaveLength(1);
    });

    it('after a sending that the server has not taken: the caller hears it', async () => {
      log.fates.push(notTaken, refused);
      await expect(add('one')).rejects.toBe(REFUSAL);
    });

    // Rights and bounds change in between, and the first sending may arrive at any time.
    it('after a sending without an answer: it stays unknown, and is sent again until the log answers', async () => {
      log.fates.push(lostBeforeWriting, refused, refused);
      expect(await add('one', { copies: ['x'] })).toMatchObject({ state: { total: 1 }, events: [{ revision: 0 }] });
      expect(log.appends).toHaveLength(4);
      expect(new Set(log.appends.map(([decision]) => decision?.events[0]?.id)).size).toBe(1);
    });

    it('after a sending that was written without an answer: it is found, and was never refused', async () => {
      log.fates.push(lostWritten, refused);
      expect(await add('one')).toMatchObject({ events: [{ revision: 0 }] });
      expect(log.of('tally-a')).toHaveLength(1);
    });

    it('of a follower: its decision stands, the caller hears the refusal, and no second try is made', async () => {
      const refusal = new AppendRefused('not copy-x', 'copy-x');
      log.fates.push(async (_write, list) => [...log.write(list.slice(0, 1)), { kind: 'refused', refusal }]);
      await expect(add('one', { copies: ['x'] })).rejects.toBe(refusal);
      expect([log.of('tally-a').length, log.of('copy-x').length, log.appends.length]).toEqual([1, 0, 1]);
      expect(await add('one', { copies: ['x'] })).toMatchObject({ events: [], state: { keys: ['one'] } });
    });
  });

  describe('that waits for its turn', () => {
    const MANY = Array.from({ length: 20 }, (_, index) => `x${index}`);

    it('is not begun any more if its caller has been rejected: nothing is written, and others go on', async () => {
      loop = open({ patience: 100 });
      log.fates.push(async (_write, _list, progress) => {
        while (progress?.isWanted() === true) await new Promise((resolve) => setTimeout(resolve, 10));
        throw new AppendWithdrawn('nobody wants it');
      });
      await expect(add('one')).rejects.toThrow('tally-a is busy');
      expect(await add('two')).toMatchObject({ state: { keys: ['two'] } });
      expect(log.of('tally-a')).toHaveLength(1);
    });

    it('is sent again, whoever still waits, once a sending got no answer', async () => {
      loop = open({ patience: 100 });
      log.fates.push(lostBeforeWriting, async (write, _list, progress) => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        return progress?.isWanted() === true ? write() : Promise.reject(new AppendWithdrawn('nobody wants it'));
      });
      await expect(add('one')).rejects.toThrow('tally-a is busy');
      while (log.of('tally-a').length === 0) await new Promise((resolve) => setImmediate(resolve));
    });

    it.each<[string, readonly string[], boolean]>([
      ['if it is long: its callers hear how it ends', MANY, true],
      ['not if it is short', MANY.slice(0, 3), false],
    ])('has more time from its beginning on, %s', async (_, copies, isAnswered) => {
      loop = open({ patience: 100, begun: 60_000 });
      log.fates.push(async (write, _list, progress) => {
        progress?.begins();
        await new Promise((resolve) => setTimeout(resolve, 600));
        return write();
      });
      const done = add('one', { copies });
      if (isAnswered) expect(await done).toMatchObject({ state: { total: 1 } });
      else await expect(done).rejects.toThrow('tally-a is busy');
    });

    it('is answered when its many followers are written, and the next command of its stream need not wait for them', async () => {
      const gate = Promise.withResolvers<undefined>();
      log.fates.push(async (_write, list, progress) => {
        const [decision] = log.write(list.slice(0, 1));
        if (decision !== undefined) progress?.decided(decision);
        await gate.promise;
        return [...(decision === undefined ? [] : [decision]), ...list.slice(1).flatMap((each) => log.write([each]))];
      });
      let isAnswered = false;
      const done = add('one', { copies: MANY }).finally(() => (isAnswered = true));
      // Otherwise both would be in one append.
      while (log.appends.length === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(await add('two')).toMatchObject({ state: { keys: ['one', 'two'] } });
      expect(isAnswered).toBe(false);
      gate.resolve(undefined);
      expect(await done).toMatchObject({ events: [{ revision: 0 }], state: { total: 1 } });
      expect(log.of('copy-x19')).toHaveLength(1);
    });

    it('ends for its callers, however long it takes', async () => {
      loop = open({ patience: 100, begun: 500 });
      const gate = Promise.withResolvers<undefined>();
      log.fates.push(async (write, _list, progress) => {
        progress?.begins();
        await gate.promise;
        return write();
      });
      await expect(add('one', { copies: MANY })).rejects.toThrow('tally-a is busy');
      gate.resolve(undefined);
    });
  });

  describe('conflict', () => {
    it('of the decision: the loop reads the stream’s end and decides again; no follower was written', async () => {
      await add('before');
      log.rival('tally-a', added('rival', 10));
      expect(await add('one', { copies: ['x'] })).toMatchObject({ state: { total: 11 } });
      expect(loop.stats.conflicts).toBe(1);
      expect(log.of('copy-x').map(({ metadata }) => metadata.causation)).toEqual(['tally-a@2']);
      const ids = log.events.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('events noted during an append are read before the state is given again', async () => {
      log.fates.push(async (write) => {
        const written = write();
        log.rival('tally-a', added('rival', 11));
        loop.outdate({ stream: 'tally-a', revision: 1 });
        return written;
      });
      await add('one');
      expect(await loop.read(tally, 'a')).toEqual({ total: 11, keys: ['one', 'rival'] });
    });

    it('a refusal needs only one look, however much others write meanwhile', async () => {
      await add('one');
      let looks = 0;
      log.onRead = (stream) => {
        if ((looks += 1) < 100) log.rival(stream, added(`rival ${looks}`, 10 + looks));
      };
      await expect(add('two', { cap: 1 })).rejects.toMatchObject({ code: 'full' });
      expect(looks).toBe(1);
    });

    describe('while a stream is read', () => {
      /** Holds the answer of this read, counted from 1, after the log has made it. */
      const holding = (held: number): { release: () => void; reads: () => number } => {
        const gate = Promise.withResolvers<undefined>();
        const read = log.readStream.bind(log);
        let reads = 0;
        log.readStream = async (...asked) => {
          const events = await read(...asked);
          if ((reads += 1) === held) await gate.promise;
          return events;
        };
        return { release: () => gate.resolve(undefined), reads: () => reads };
      };
      const reached = async (condition: () => boolean): Promise<void> => {
        while (!condition()) await new Promise((resolve) => setImmediate(resolve));
      };

      // Its caller may know what another process has written since that read began.
      it('a command that comes is not refused without a look of its own', async () => {
        log.rival('tally-a', added('sold', 5));
        const { release, reads } = holding(1);
        const first = loop.read(tally, 'a');
        await reached(() => reads() === 1);
        log.rival('tally-a', added('freed', 0));
        const asked = add('one', { cap: 1 });
        release();
        expect(await asked).toMatchObject({ state: { total: 1, keys: ['sold', 'freed', 'one'] } });
        expect(await first).toMatchObject({ keys: ['sold'] });
      });

      it('readNow reads once more', async () => {
        log.rival('tally-a', added('sold', 5));
        const { release, reads } = holding(1);
        const first = loop.read(tally, 'a');
        await reached(() => reads() === 1);
        log.rival('tally-a', added('freed', 0));
        const asked = loop.readNow(tally, 'a');
        release();
        expect(await asked).toMatchObject({ keys: ['sold', 'freed'] });
        expect(await first).toMatchObject({ keys: ['sold'] });
        expect(reads()).toBe(2);
      });

      it('a refusal that has had its look does not wait for that of a later command', async () => {
        await add('one');
        const { release, reads } = holding(2);
        let later: Promise<unknown> = Promise.resolve();
        log.onRead = () => {
          log.onRead = () => undefined;
          log.rival('tally-a', added('rival', 10));
          later = add('three', { cap: 1 });
        };
        await expect(add('two', { cap: 1 })).rejects.toMatchObject({ code: 'full' });
        await reached(() => reads() === 2);
        release();
        await expect(later).rejects.toMatchObject({ code: 'full' });
        expect(reads()).toBe(2);
      });
    });

    it('decides the whole batch again, because its refusals and repeats rest on events that were not written', async () => {
      await add('before');
      log.rival('tally-a', added('undo', -10));
      const [first, refused, repeated] = await Promise.all([add('one'), add('two', { cap: 2 }), add('undo')]);
      expect(first).toMatchObject({ state: { total: -9 } });
      expect(refused).toMatchObject({ state: { total: -8 } });
      expect(repeated).toMatchObject({ events: [], state: { keys: ['before', 'undo', 'one', 'two'] } });
    });

    // The known state of the follower's stream is proved old: a decision on it would conflict again.
    it('of a joined follower: its entry forgets the state, and it is decided again immediately', async () => {
      await loop.execute(copy, 'x', { key: 'known' }, contextAt());
      log.rival('copy-x', { ...added('x', 0), type: 'copied.v1', data: { key: 'rival', at: 1 } });
      const { followers } = (await add('one', { copies: ['x'] })) as { followers: readonly object[] };
      expect(followers).toMatchObject([{ stream: 'copy-x', revision: 2, data: { key: 'one' } }]);
      expect(loop.stats).toMatchObject({ appends: 3, conflicts: 0 });
    });

    it('of a follower concerns only that follower', async () => {
      log.rival('copy-x', { ...added('x', 0), type: 'copied.v1', data: { key: 'rival', at: 1 } });
      expect(await add('one', { copies: ['x', 'y'] })).toMatchObject({ position: expect.any(BigInt) });
      expect(log.of('tally-a')).toHaveLength(1);
      expect(log.of('copy-x')).toHaveLength(2);
      expect(log.of('copy-y')).toHaveLength(1);
      expect(loop.stats.conflicts).toBe(0);
    });

    it('waits before it reads the stream’s end, so that it decides on the state after the wait', async () => {
      await add('before');
      log.fates.push(async (write) => {
        log.rival('tally-a', added('rival', 10));
        setImmediate(() => log.rival('tally-a', added('rival again', 20)));
        return write();
      });
      jest.spyOn(Math, 'random').mockReturnValue(1);
      await add('one').finally(() => jest.restoreAllMocks());
      expect(loop.stats.conflicts).toBe(1);
    });

    it('within a command of several appends: the written part stays, the rest is decided again', async () => {
      let appends = 0;
      const interfere: Fate = async (write) => {
        appends += 1;
        if (appends === 2) log.rival('tally-a', added('rival', 1_000));
        return write();
      };
      log.fates.push(interfere, interfere);
      const done = await Promise.allSettled([add('k', { times: 150, copies: ['x'] })]);
      // The decider finds its first events and takes them for all: deciders of long commands accept each beginning.
      expect(done[0]).toMatchObject({ status: 'fulfilled', value: { events: [] } });
      expect(log.of('tally-a')).toHaveLength(101);
    });
  });

  describe('an answer', () => {
    const held = (): { fate: Fate; release: () => void } => {
      const gate = Promise.withResolvers<undefined>();
      return { fate: (write) => gate.promise.then(write), release: () => gate.resolve(undefined) };
    };
    const settled = async (promise: Promise<unknown>): Promise<boolean> => {
      let done = false;
      promise.then(
        () => (done = true),
        () => (done = true),
      );
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return done;
    };

    it('waits until everything that it rests on is on disk, also for refusals and repeats', async () => {
      const { fate, release } = held();
      log.fates.push(fate);
      const asked = [add('one'), add('one'), add('two', { cap: 1 })];
      asked.forEach((each) => void each.catch(() => undefined));
      expect(await Promise.all(asked.map(settled))).toEqual([false, false, false]);
      release();
      const [first, repeat, refusal] = await Promise.allSettled(asked);
      expect(first).toMatchObject({ status: 'fulfilled', value: { state: { total: 1 } } });
      expect(repeat).toMatchObject({ status: 'fulfilled', value: { events: [] } });
      expect(refusal).toMatchObject({ status: 'rejected', reason: { code: 'full' } });
    });

    it('of a read has only what is on disk', async () => {
      await add('before');
      const { fate, release } = held();
      log.fates.push(fate);
      const asked = add('one');
      void asked.catch(() => undefined);
      while (log.appends.length < 2) await new Promise((resolve) => setImmediate(resolve));
      expect(await loop.read(tally, 'a')).toEqual({ total: 1, keys: ['before'] });
      release();
      await asked;
      expect(await loop.read(tally, 'a')).toMatchObject({ total: 2 });
    });

    it('waits for followers that could not join', async () => {
      log.rival('copy-x', { ...added('x', 0), type: 'copied.v1', data: { key: 'rival', at: 1 } });
      const { fate, release } = held();
      log.fates.push(async (write) => write(), fate);
      const asked = add('one', { copies: ['x'] });
      expect(await settled(asked)).toBe(false);
      release();
      await asked;
      expect(log.of('copy-x')).toHaveLength(2);
    });
  });

  it('its position is the furthest, whichever of its followers is answered last', async () => {
    for (const id of ['x', 'y']) {
      log.rival(`copy-${id}`, { ...added(id, 0), type: 'copied.v1', data: { key: 'rival', at: 1 } });
    }
    // Both streams are there already, so both followers go through their queues.
    const later = Promise.withResolvers<undefined>();
    const hold: Fate = async (write) => {
      const written = write();
      await later.promise;
      return written;
    };
    const free: Fate = async (write) => {
      const written = write();
      setImmediate(() => later.resolve(undefined));
      return written;
    };
    log.fates.push(async (write) => write(), hold, free);
    expect(await add('one', { copies: ['x', 'y'] })).toMatchObject({ position: log.events.at(-1)?.position });
    expect(log.events.map(({ stream }) => stream).slice(-2)).toEqual(['copy-x', 'copy-y']);
  });

  describe('another process’s event', () => {
    const total = async (): Promise<number> => (await loop.read(tally, 'a')).total;

    it('makes the loop read the stream’s new events once it is noted', async () => {
      await add('one');
      log.rival('tally-a', added('two', 2));
      expect(await total()).toBe(1);
      loop.outdate({ stream: 'tally-a', revision: 1 });
      expect(await total()).toBe(2);
      expect(log.of('tally-a')).toHaveLength(2);
    });

    it('costs nothing if it is known already, or the stream is not in the cache', async () => {
      await add('one');
      const read = jest.fn<ScriptedLog['onRead']>();
      log.onRead = read;
      loop.outdate({ stream: 'tally-a', revision: 0 });
      loop.outdate({ stream: 'tally-b', revision: 7 });
      expect(await total()).toBe(1);
      expect(read).not.toHaveBeenCalled();
    });
  });

  describe('a log that failed', () => {
    it('is final: everyone who waits gets Unavailable, nothing is repeated, and no state is kept', async () => {
      await loop.execute(tally, 'idle', { key: 'k' }, contextAt());
      await add('before');
      log.fates.push(async () => {
        throw new LogFailed('the sync failed');
      });
      const asked = [add('one'), loop.execute(tally, 'b', { key: 'two' }, contextAt())];
      const reasons = (await Promise.allSettled(asked)).map(
        (each) => each.status === 'rejected' && (each.reason as unknown),
      );
      expect(reasons[0]).toBeInstanceOf(Unavailable);
      const appends = log.appends.length;
      await expect(add('three')).rejects.toBeInstanceOf(Unavailable);
      await expect(loop.read(tally, 'a')).rejects.toBeInstanceOf(Unavailable);
      await expect(loop.read(tally, 'idle')).rejects.toBeInstanceOf(Unavailable);
      expect(log.appends).toHaveLength(appends);
    });

    it('rejects those who wait behind the failed append, on its stream and on its followers’ streams', async () => {
      const gate = Promise.withResolvers<undefined>();
      log.fates.push(async () => {
        await gate.promise;
        throw new LogFailed('the sync failed');
      });
      const first = add('one', { copies: ['x'] });
      while (log.appends.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const behind = [add('two'), loop.execute(copy, 'x', { key: 'k' }, contextAt())];
      gate.resolve(undefined);
      for (const asked of [first, ...behind]) await expect(asked).rejects.toBeInstanceOf(Unavailable);
      expect(log.appends).toHaveLength(1);
    });

    it('within a list: the decision stands, and its followers are not repeated', async () => {
      log.fates.push(
        async (_write, list) => [...log.write(list.slice(0, 1)), { kind: 'unknown' }],
        async () => {
          throw new LogFailed('the sync failed');
        },
      );
      await expect(add('one', { copies: ['x'] })).rejects.toBeInstanceOf(Unavailable);
      expect(log.appends).toHaveLength(2);
    });
  });

  describe('a stream that cannot be worked on', () => {
    it('rejects only its own callers, and is read again', async () => {
      let fails = 1;
      log.onRead = (stream) => {
        if (stream === 'tally-a' && fails-- > 0) throw new Error('cannot be read');
      };
      const [broken, other] = await Promise.allSettled([
        add('one'),
        loop.execute(tally, 'b', { key: 'k' }, contextAt()),
      ]);
      expect(broken).toMatchObject({ status: 'rejected', reason: { message: 'cannot be read' } });
      expect(other.status).toBe('fulfilled');
      expect(await add('one')).toMatchObject({ state: { total: 1 } });
    });

    it('leaves the streams of its followers free', async () => {
      log.fates.push(async () => {
        throw new RangeError('not that one');
      });
      await expect(add('one', { copies: ['x', 'y'] })).rejects.toThrow('not that one');
      await loop.execute(copy, 'x', { key: 'k' }, contextAt());
      expect(await loop.read(copy, 'x')).toEqual(['k']);
    });

    it('leaves the streams of followers free if the next follower’s decision throws', async () => {
      const broken = new CommandLoop({
        log,
        codec: tallyCodec,
        clock: { now: () => 1 },
        followers: [
          {
            category: 'tally',
            on: {
              'added.v1': (event) => {
                const { data } = event as unknown as { data: { key: string } };
                if (data.key === 'k.1') throw new Error('no follower of this');
                return [begin(copy, 'x', { key: data.key })];
              },
            },
          },
        ],
        machine: thisMachine,
        guard: openGuard(),
      });
      await expect(broken.execute(tally, 'a', { key: 'k', times: 2 }, contextAt())).rejects.toThrow('no follower');
      await broken.execute(copy, 'x', { key: 'after' }, contextAt());
      await broken.close();
    });
  });

  it('a late follower that fails within a command of several appends causes no unhandled rejection', async () => {
    await loop.close();
    loop = open({ waiting: 1 });
    log.rival('copy-x', { ...added('x', 0), type: 'copied.v1', data: { key: 'rival', at: 1 } });
    const gate = Promise.withResolvers<undefined>();
    log.fates.push(
      async (write) => write(),
      (write) => gate.promise.then(write),
      (write) => gate.promise.then(write),
    );
    const asked = add('k', { times: 101, copies: ['x'] });
    void asked.catch(() => undefined);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    gate.resolve(undefined);
    await expect(asked).rejects.toBeInstanceOf(Unavailable);
    expect(log.of('tally-a')).toHaveLength(101);
  });
});
