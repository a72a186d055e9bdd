import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { AppendOutcomeUnknown, CommandLoop, type Finding, Unavailable } from '#eventsourcing';
import { LogGuard, WatchedLog } from '#ownership';
import { ScriptedLog, type Fate } from '../../../test/support/scripted-log.js';
import { added, contextAt, copy, tally, tallyCodec, tallyFollowers } from '../../../test/support/tally.js';

describe('the command loop and its guard', () => {
  let log: ScriptedLog;
  let loop: CommandLoop;
  let guard: LogGuard;
  let check: () => Promise<readonly Finding[]>;
  const notice = jest.fn<(finding: Finding) => void>();

  const add = (key: string, more: object = {}, id = 'a'): Promise<unknown> =>
    loop.execute(tally, id, { key, ...more }, contextAt());
  const ofStream = (stream: string | undefined): Finding => ({
    kind: 'lost',
    code: 'c0de',
    stream,
    words: 'it is not ours',
  });
  const expectSentAway = async (asked: readonly Promise<unknown>[]): Promise<void> => {
    for (const each of await Promise.allSettled(asked)) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
    }
  };
  const turns = async (count = 20): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(() => {
    log = new ScriptedLog();
    check = async () => [];
    notice.mockClear();
    guard = new LogGuard({ check: () => check(), accepted: new Set(), notice, time: thisMachine.time });
    loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock: { now: () => 1_000 },
      followers: [tallyFollowers],
      guard,
      machine: thisMachine,
    });
  });
  afterEach(() => loop.close());

  it('decides nothing while the log is being checked, and continues when it passes', async () => {
    const checked = Promise.withResolvers<readonly Finding[]>();
    await add('before');
    check = () => checked.promise;
    guard.doubt();
    const asked = add('one');
    const read = loop.read(tally, 'a');
    await turns();
    expect(log.appends).toHaveLength(1);
    checked.resolve([]);
    expect(await asked).toMatchObject({ state: { total: 2 } });
    expect(await read).toMatchObject({ total: 2 });
  });

  it('rejects everyone, readers too, if the log does not pass, and does not ask the log', async () => {
    await add('before');
    guard.refuse(ofStream(undefined));
    await expectSentAway([add('one'), add('one', {}, 'b'), loop.read(tally, 'a')]);
    expect(log.appends).toHaveLength(1);
  });

  it('rejects commands on a stream that does not pass, and on no other', async () => {
    await add('before');
    guard.refuse(ofStream('tally-a'));
    await expect(add('one')).rejects.toBeInstanceOf(Unavailable);
    await expect(loop.read(tally, 'a')).rejects.toBeInstanceOf(Unavailable);
    expect(await add('one', {}, 'b')).toMatchObject({ state: { total: 1 } });
  });

  it('decides without asking for the list of findings', async () => {
    for (let n = 0; n < 1_000; n += 1) guard.refuse({ ...ofStream(`tally-${n}`), code: `c0de${n}` });
    const listed = jest.spyOn(guard, 'findings', 'get');
    expect(await add('one', { copies: ['x'] })).toMatchObject({ state: { total: 1 } });
    expect(await loop.read(tally, 'a')).toMatchObject({ total: 1 });
    await guard.passed('tally-a');
    expect([guard.refused, guard.doubtful, guard.open]).toEqual([false, false, true]);
    expect(listed).not.toHaveBeenCalled();
  });

  it('rejects commands on a stream that gets a finding while it is being read', async () => {
    log.rival('tally-a', added('k0', 1));
    const read = log.readStream.bind(log);
    const reading = Promise.withResolvers<undefined>();
    log.readStream = async (...asked) => {
      await reading.promise;
      return read(...asked);
    };
    const asked = [add('one'), loop.read(tally, 'a')];
    await turns();
    guard.refuse(ofStream('tally-a'));
    reading.resolve(undefined);
    await expectSentAway(asked);
    expect(log.of('tally-a')).toHaveLength(1);
  });

  it('reads the stream again before it refuses a command that came while the log was checked after a read', async () => {
    log.rival('tally-a', added('sold', 5));
    const checked = Promise.withResolvers<readonly Finding[]>();
    check = () => checked.promise;
    log.onRead = () => {
      log.onRead = () => undefined;
      guard.doubt();
    };
    const first = loop.read(tally, 'a');
    await turns();
    log.rival('tally-a', added('freed', 0));
    const asked = add('one', { cap: 1 });
    checked.resolve([]);
    expect(await asked).toMatchObject({ state: { total: 1 } });
    expect(await first).toMatchObject({ total: 5 });
  });

  it('lets no follower join if its stream does not pass; it rejects the caller, and the decision stands', async () => {
    await loop.execute(copy, 'x', { key: 'before' }, contextAt());
    guard.refuse(ofStream('copy-x'));
    await expect(add('one', { copies: ['x'] })).rejects.toBeInstanceOf(Unavailable);
    expect([log.of('tally-a').length, log.of('copy-x').length]).toEqual([1, 1]);
  });

  describe('an answer that contradicts what is known', () => {
    /** The loop decides nothing more, on any stream, and accepts no waiting command. */
    const expectStopped = async (asked: readonly Promise<unknown>[], words: RegExp): Promise<void> => {
      await expectSentAway(asked);
      const appends = log.appends.length;
      await expect(add('after', {}, 'elsewhere')).rejects.toBeInstanceOf(Unavailable);
      expect(log.appends).toHaveLength(appends);
      expect(notice.mock.calls).toMatchObject([[{ stream: undefined, words: expect.stringMatching(words) }]]);
    };
    const answered =
      (index: number, changes: object): Fate =>
      async (write) =>
        write().map((result, at) => (at === index ? { ...result, ...changes } : result));

    // A deleted stream continues at its old revisions, and the decision on an empty state was written to it.
    it('written at another revision than the next one', async () => {
      await add('before');
      log.fates.push(answered(0, { revision: 7 }));
      await expectStopped([add('one'), add('two')], /tally-a as revision 2 is now at 7/);
    });

    it('a conflict below the known revision', async () => {
      await add('before', { times: 3 });
      log.fates.push(async () => [{ kind: 'conflict', actual: 0 }]);
      await expectStopped([add('one')], /tally-a ends at revision 0, but has reached 2 before/);
    });

    it('a position that is not above the last acknowledged one', async () => {
      await add('before', {}, 'b');
      await add('before', {}, 'c');
      log.fates.push(answered(0, { position: 2n }));
      await expectStopped([add('one')], /at position 2, but position 2 was seen before/);
    });

    it('a position that is not above one that was read for a decision', async () => {
      for (let key = 0; key < 5; key += 1) log.rival('tally-b', added(`k${key}`, key + 1));
      await loop.read(tally, 'b');
      log.fates.push(answered(0, { position: 5n }));
      await expectStopped([add('one')], /at position 5, but position 5 was seen before/);
    });

    it('of a follower', async () => {
      log.fates.push(answered(1, { revision: 3 }));
      await expectStopped([add('one', { copies: ['x'] })], /copy-x as revision 0 is now at 3/);
    });

    it('to a repeat, on a log with fewer events than before', async () => {
      await add('before', { times: 3 });
      log.fates.push(
        async () => {
          throw new AppendOutcomeUnknown('the answer was lost');
        },
        async () => [{ kind: 'conflict', actual: 1 }],
      );
      await expectStopped([add('one')], /tally-a ends at revision 1, but has reached 2 before/);
    });
  });

  describe('a stream with a gap', () => {
    const open = (): void => {
      const watched = new WatchedLog(log, guard, () => undefined, thisMachine.time);
      loop = new CommandLoop({
        ...{ log: watched, codec: tallyCodec, clock: { now: () => 1 }, followers: [], guard },
        limits: { unread: 300 },
        machine: thisMachine,
      });
    };
    /** Removes these revisions, as a deletion or retention does. */
    const lose = (stream: string, ...revisions: number[]): void => {
      const read = log.readStream.bind(log);
      log.readStream = async (name, from, max) =>
        (await read(name, from, 1_000)).filter((e) => name !== stream || !revisions.includes(e.revision)).slice(0, max);
    };
    beforeEach(async () => {
      await loop.close();
      open();
      for (let key = 0; key < 5; key += 1) log.rival('tally-a', added(`k${key}`, key + 1));
    });

    it.each<[string, number[], RegExp]>([
      ['at its beginning', [0, 1], /tally-a has lost events: revision 0 was expected, but 2/],
      ['in the middle', [3], /revision 3 was expected, but 4/],
    ])('%s accepts no decisions, while others do', async (_, revisions, words) => {
      lose('tally-a', ...revisions);
      await expectSentAway([add('one'), loop.read(tally, 'a')]);
      await expectSentAway([add('two')]);
      expect(notice.mock.calls).toMatchObject([[{ stream: 'tally-a', words: expect.stringMatching(words) }]]);
      expect(await add('one', {}, 'b')).toMatchObject({ state: { total: 1 } });
      expect(log.appends).toHaveLength(1);
    });

    it('is found when its new events are read', async () => {
      await loop.read(tally, 'a');
      for (let key = 5; key < 9; key += 1) log.rival('tally-a', added(`k${key}`, key + 1));
      loop.outdate({ stream: 'tally-a', revision: 8 });
      lose('tally-a', 5, 6);
      await expectSentAway([loop.read(tally, 'a')]);
      expect(notice.mock.calls).toMatchObject([[{ words: expect.stringContaining('revision 5 was expected, but 7') }]]);
    });

    it('continues after its last event if that is another program’s and accepted', async () => {
      log.rival('tally-a', added('theirs', 6));
      lose('tally-a', 5);
      await loop.close();
      guard = new LogGuard({ check: () => check(), accepted: new Set(['c0de']), notice, time: thisMachine.time });
      guard.refuse({ ...ofStream('tally-a'), at: 5 });
      open();
      expect(await add('one')).toMatchObject({ events: [{ revision: 6 }], state: { total: 6 } });
      expect(notice).not.toHaveBeenCalled();
    });

    // Otherwise the loop would repeat it for ever, because it cannot read what became of it.
    it('ends an append whose answer was lost', async () => {
      await loop.read(tally, 'a');
      log.fates.push(async (write) => {
        write();
        for (let key = 6; key < 9; key += 1) log.rival('tally-a', added(`k${key}`, key + 1));
        lose('tally-a', 5, 6);
        throw new AppendOutcomeUnknown('the answer was lost');
      });
      await expect(add('one')).rejects.toThrow('the event log needs an operator');
      expect(log.appends).toHaveLength(1);
      expect(await add('one', {}, 'b')).toMatchObject({ state: { total: 1 } });
    });

    describe('a gap at its end, which only conflicts show', () => {
      beforeEach(async () => {
        await loop.read(tally, 'a');
        for (let key = 5; key < 8; key += 1) log.rival('tally-a', added(`k${key}`, key + 1));
        lose('tally-a', 5, 6, 7);
      });
      const unread = /tally-a has lost events: it ends at revision 7, and 5 cannot be read/;

      it('is refused by name, and others are not', async () => {
        await expectSentAway([add('one')]);
        expect(notice.mock.calls).toMatchObject([[{ stream: 'tally-a', words: expect.stringMatching(unread) }]]);
        expect(await add('one', {}, 'b')).toMatchObject({ state: { total: 1 } });
      });

      it('is refused if the last answer was lost', async () => {
        log.fates.push(async () => {
          throw new AppendOutcomeUnknown('the answer was lost');
        });
        await expectSentAway([add('one')]);
        expect(notice.mock.calls).toMatchObject([[{ words: expect.stringMatching(unread) }]]);
      });

      it('is no finding if a node takes back events that it showed', async () => {
        const others = log.events.splice(5);
        log.fates.push(async () => [{ kind: 'conflict', actual: others.length + 4 }]);
        expect(await add('one')).toMatchObject({ state: { total: 6 } });
        expect(notice).not.toHaveBeenCalled();
      });

      it('continues after the gap once it is accepted', async () => {
        await expectSentAway([add('one')]);
        await loop.close();
        const accepted = new Set(guard.findings.map(({ code }) => code));
        guard = new LogGuard({ check: () => check(), accepted, notice, time: thisMachine.time });
        open();
        expect(await add('one')).toMatchObject({ events: [{ revision: 8 }], state: { total: 6 } });
      });
    });

    it('accepts decisions as it is, once the operator has accepted it by its code', async () => {
      lose('tally-a', 0, 1);
      await expectSentAway([add('one')]);
      await loop.close();
      const accepted = new Set(guard.findings.map(({ code }) => code));
      guard = new LogGuard({ check: () => check(), accepted, notice, time: thisMachine.time });
      open();
      expect(await add('one')).toMatchObject({ events: [{ revision: 5 }], state: { total: 6 } });
    });
  });

  it('accepts the answer to a repeat, although others were acknowledged since it was first sent', async () => {
    const lost = Promise.withResolvers<undefined>();
    log.fates.push(async (write) => {
      write();
      await lost.promise;
      throw new AppendOutcomeUnknown('the answer was lost');
    });
    const asked = add('one');
    await turns();
    for (const id of ['b', 'c', 'd']) await add('one', {}, id);
    lost.resolve(undefined);
    expect(await asked).toMatchObject({ state: { total: 1 }, position: 1n });
    expect(notice).not.toHaveBeenCalled();
  });
});
