import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { outsideCallDeadline, CommandLoop, Unavailable, withCallDeadline, type LoopLimits } from '#eventsourcing';
import { openGuard } from '../../../test/support/open-guard.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { LEAST_WEIGHT } from './stream-entry.js';
import { added, contextAt, tally, tallyCodec, tallyFollowers } from '../../../test/support/tally.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('A8: the bounds of the command loop', () => {
  let log: ScriptedLog;
  let loop: CommandLoop;
  let gate: PromiseWithResolvers<void>;

  const open = (limits: Partial<LoopLimits>, machine = thisMachine): void => {
    loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock: { now: () => 1 },
      followers: [tallyFollowers],
      limits,
      machine,
      guard: openGuard(),
    });
  };
  const add = (key: string, id = 'a'): Promise<unknown> => loop.execute(tally, id, { key }, contextAt());

  beforeEach(() => {
    log = new ScriptedLog();
    gate = Promise.withResolvers();
  });
  afterEach(async () => {
    gate.resolve();
    await loop.close();
  });

  it('rejects a caller when the queue is full, and nobody else', async () => {
    open({ waiting: 3 });
    log.onRead = (stream) => (stream === 'tally-a' ? gate.promise : undefined);
    const asked = [1, 2, 3].map((n) => add(`k${n}`));
    await expect(add('too many')).rejects.toMatchObject({ name: 'Unavailable', retryAfter: 1 });
    await add('elsewhere', 'b');
    gate.resolve();
    await Promise.all(asked);
    await add('room again');
    expect(await loop.read(tally, 'a')).toMatchObject({ total: 4 });
  });

  it('rejects a caller when its time is over; the load continues and serves the next caller', async () => {
    open({ patience: 3_000 });
    for (let n = 0; n < 3; n += 1) log.rival('tally-a', added(`k${n}`, n + 1));
    let reads = 0;
    log.onRead = () => {
      reads += 1;
      return gate.promise;
    };
    await expect(add('late')).rejects.toBeInstanceOf(Unavailable);
    await expect(loop.read(tally, 'a')).rejects.toBeInstanceOf(Unavailable);
    gate.resolve();
    for (let n = 0; n < 20; n += 1) await turn();
    log.onRead = () => {
      throw new Error('it is loaded by now');
    };
    expect(await loop.read(tally, 'a')).toMatchObject({ total: 3 });
    expect(reads).toBe(1);
    // A command that was rejected while it waited was not decided.
    expect(log.of('tally-a')).toHaveLength(3);
  });

  it('rejects a caller whose append is under way; the append continues', async () => {
    open({ patience: 3_000 });
    await add('before');
    log.fates.push((write) => gate.promise.then(write));
    await expect(add('slow')).rejects.toBeInstanceOf(Unavailable);
    gate.resolve();
    for (let n = 0; n < 20; n += 1) await turn();
    expect(await loop.read(tally, 'a')).toMatchObject({ total: 2 });
    expect(await add('slow')).toMatchObject({ events: [] });
  });

  it('keeps at most about two generations of idle streams, and loads dropped ones again', async () => {
    open({ cached: 4 * LEAST_WEIGHT });
    for (let n = 0; n < 20; n += 1) await add('k', `s${n}`);
    const reads = new Set<string>();
    log.onRead = (stream) => void reads.add(stream);
    for (let n = 0; n < 20; n += 1) expect(await loop.read(tally, `s${n}`)).toMatchObject({ total: 1 });
    expect(reads.size).toBeGreaterThanOrEqual(12);
  });

  it.each([
    { memory: 24 * LEAST_WEIGHT, least: 12, most: 20 },
    { memory: 240 * LEAST_WEIGHT, least: 0, most: 0 },
  ])('keeps as many idle streams as its memory of $memory bytes allows', async ({ memory, least, most }) => {
    open({}, { ...thisMachine, memory });
    for (let n = 0; n < 20; n += 1) await add('k', `s${n}`);
    const reads = new Set<string>();
    log.onRead = (stream) => void reads.add(stream);
    for (let n = 0; n < 20; n += 1) expect(await loop.read(tally, `s${n}`)).toMatchObject({ total: 1 });
    expect(reads.size).toBeGreaterThanOrEqual(least);
    expect(reads.size).toBeLessThanOrEqual(most);
  });

  // A partner can make users of 64 KiB each: counted one by one, they would fill the memory.
  it('keeps fewer idle streams whose events are large', async () => {
    open({ cached: 4 * LEAST_WEIGHT });
    for (let n = 0; n < 6; n += 1) await add('k'.repeat(4 * LEAST_WEIGHT), `s${n}`);
    const reads = new Set<string>();
    log.onRead = (stream) => void reads.add(stream);
    for (let n = 0; n < 6; n += 1) await loop.read(tally, `s${n}`);
    expect(reads.size).toBeGreaterThanOrEqual(4);
  });

  describe('closing', () => {
    it('waits for the appends under way, answers them, and rejects waiting and new commands', async () => {
      open({});
      await add('before');
      log.fates.push((write) => gate.promise.then(write));
      const underWay = add('under way');
      while (log.appends.length < 2) await turn();
      const waits = add('waits');
      void waits.catch(() => undefined);
      let closed = false;
      const closing = loop.close().then(() => (closed = true));
      for (let n = 0; n < 10; n += 1) await turn();
      expect(closed).toBe(false);
      await expect(waits).rejects.toBeInstanceOf(Unavailable);
      await expect(add('comes')).rejects.toBeInstanceOf(Unavailable);
      gate.resolve();
      expect(await underWay).toMatchObject({ state: { total: 2 } });
      await closing;
      expect(log.of('tally-a')).toHaveLength(2);
    });

    it('is possible twice', async () => {
      open({});
      await add('one');
      await Promise.all([loop.close(), loop.close()]);
    });
  });

  describe('for a call of several commands', () => {
    let time: number;
    beforeEach(() => {
      time = performance.now();
      jest.spyOn(performance, 'now').mockImplementation(() => time);
      open({});
    });
    afterEach(() => void jest.restoreAllMocks());

    it('are shared: the second command has only the time that the first one left', async () => {
      await withCallDeadline(thisMachine.time, async () => {
        await add('first');
        time += 4_900;
        log.fates.push((write) => gate.promise.then(write));
        const second = add('second');
        second.catch(() => undefined);
        await turn();
        time += 101;
        await expect(second).rejects.toBeInstanceOf(Unavailable);
        await expect(add('third', 'b')).rejects.toBeInstanceOf(Unavailable);
      });
      expect(log.of('tally-b')).toEqual([]);
    });

    it('bound its followers, too', async () => {
      log.rival('copy-x', { ...added('k', 1), type: 'copied.v1', data: { key: 'k', at: 1 } });
      log.onRead = (stream) => (stream === 'copy-x' ? gate.promise : undefined);
      // The decision takes its time. The follower's stream is not as expected, so it must be read.
      log.fates.push(async (write) => {
        time += 4_900;
        return write();
      });
      const slow = loop.execute(tally, 'a', { key: 'slow', copies: ['x'] }, contextAt());
      slow.catch(() => undefined);
      while (log.of('tally-a').length === 0) await turn();
      for (let n = 0; n < 10; n += 1) await turn();
      time += 101;
      await expect(slow).rejects.toBeInstanceOf(Unavailable);
    });

    it('leave out work with its own bound', async () => {
      await withCallDeadline(thisMachine.time, async () => {
        await outsideCallDeadline(async () => (time += 10_000));
        expect(await add('afterwards')).toMatchObject({ events: [{ revision: 0 }] });
      });
    });
  });
});
