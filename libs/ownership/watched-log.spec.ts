import { describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { thisMachine } from '#adapters/machine';
import { AppendOutcomeUnknown, AppendRefused, type Finding, LogUnusable, Unavailable } from '#eventsourcing';
import { ScriptedLog } from '../../test/support/scripted-log.js';
import { numbered } from '../../test/support/numbered.js';
import { timeWith } from '../../test/support/time-with.js';
import type { Mark } from './log-mark.js';
import { WatchedLog } from './watched-log.js';

// Health reports that appends get no answer, so nobody sends any: the log itself is probed.
it('a log whose appends get no answer is stalled until one would be answered, even if nobody appends meanwhile', async () => {
  let answers = false;
  let asked = 0;
  const scripted = Object.assign(new ScriptedLog(), {
    async probe() {
      asked += 1;
      if (!answers) throw new Error('no leader');
    },
  });
  scripted.fates.push(() => Promise.reject(new AppendOutcomeUnknown('no answer')));
  const passes = (): Promise<void> => Promise.resolve();
  const guard = { open: true, refuses: () => false, passed: passes, heed: passes, doubt: () => undefined };
  const log = new WatchedLog(scripted, guard, () => undefined, thisMachine.time);
  await expect(log.append([numbered('deal-1', -1, 1)])).rejects.toThrow(AppendOutcomeUnknown);
  while (asked === 0) await pause(50);
  expect(log.stalled).toBe(true);
  answers = true;
  const before = asked;
  while (log.stalled) await pause(50);
  expect(asked).toBe(before + 1);
  await pause(700);
  expect(asked).toBe(before + 1);
});

describe('a stream to which the server refuses to write', () => {
  const refusal = new AppendRefused('not deal-1', 'deal-1');
  const passes = (): Promise<void> => Promise.resolve();
  const guard = { open: true, refuses: () => false, passed: passes, heed: passes, doubt: () => undefined };
  const opened = (isAllowed: () => boolean): readonly [WatchedLog, ScriptedLog, AppendRefused[]] => {
    const asked: AppendRefused[] = [];
    const scripted = Object.assign(new ScriptedLog(), {
      async probe(refused?: AppendRefused) {
        if (refused !== undefined) asked.push(refused);
        if (!isAllowed()) throw refusal;
      },
    });
    return [new WatchedLog(scripted, guard, () => undefined, thisMachine.time), scripted, asked];
  };

  it('is named until it would be written, whoever appends elsewhere meanwhile; the log is not stalled', async () => {
    let allowed = false;
    const [log, scripted, asked] = opened(() => allowed);
    scripted.fates.push(() => Promise.reject(refusal));
    await expect(log.append([numbered('deal-1', -1, 1)])).rejects.toBe(refusal);
    while (asked.length < 2) {
      await log.append([numbered(`deal-${2 + asked.length}`, -1, 1)]).catch(() => undefined);
      expect([log.refusals, log.stalled]).toEqual([['not deal-1'], false]);
      await pause(50);
    }
    allowed = true;
    while (log.refusals.length > 0) await pause(20);
    const before = asked.length;
    await pause(1_500);
    expect(asked).toHaveLength(before);
  });

  it('is named if it is that of a follower', async () => {
    const [log, scripted] = opened(() => true);
    scripted.fates.push(async (_write, list) => [...scripted.write(list.slice(0, 1)), { kind: 'refused', refusal }]);
    await log.append([numbered('deal-2', -1, 1), numbered('deal-1', -1, 1)]);
    expect([log.refusals, log.stalled]).toEqual([['not deal-1'], false]);
    log.rest();
  });
});

// A decision is written, and the server then loses its quorum: the answers about its followers never come.
it('a log that answers only the first append of a list is stalled, until it would answer the next', async () => {
  let answers = false;
  const scripted = Object.assign(new ScriptedLog(), {
    probe: () => (answers ? Promise.resolve() : Promise.reject(new Error('no leader'))),
  });
  scripted.fates.push((write, list) => Promise.resolve([...write().slice(0, list.length - 1), { kind: 'unknown' }]));
  let doubts = 0;
  const passes = (): Promise<void> => Promise.resolve();
  const guard = { open: true, refuses: () => false, passed: passes, heed: passes, doubt: () => void (doubts += 1) };
  const seen: bigint[] = [];
  const log = new WatchedLog(scripted, guard, ({ position }) => void seen.push(position), thisMachine.time);
  const results = await log.append([numbered('deal-1', -1, 1), numbered('purchase-1', -1, 2)]);
  expect([results.map(({ kind }) => kind), log.stalled, doubts, seen]).toEqual([['written', 'unknown'], true, 1, [1n]]);
  answers = true;
  while (log.stalled) await pause(50);
});

// Its answer was lost, and nothing may be written for long afterwards.
it('an append that is found in the log moves the mark like an answered one; in a refused log nothing moves it', async () => {
  const scripted = new ScriptedLog();
  scripted.fates.push(async (write) => {
    write();
    throw new AppendOutcomeUnknown('no answer');
  });
  const passes = (): Promise<void> => Promise.resolve();
  const guard = { open: true, refuses: () => false, passed: passes, heed: passes, doubt: () => undefined };
  const seen: Mark[] = [];
  const log = new WatchedLog(scripted, guard, (mark) => void seen.push(mark), thisMachine.time);
  const append = numbered('deal-1', -1, 1);
  await expect(log.append([append])).rejects.toThrow(AppendOutcomeUnknown);
  log.rest();
  expect(seen).toEqual([]);
  await log.readStream('deal-1', 0, 2);
  const id = append.events[0]?.id;
  expect(seen).toEqual([{ identity: 'scripted', position: 1n, stream: 'deal-1', revision: 0, id }]);
  guard.open = false;
  await log.readStream('deal-1', 0, 2);
  expect(seen).toHaveLength(1);
});

it('appends nothing while the guard refuses; an answered append moves the mark; a broken call makes the guard doubt', async () => {
  const scripted = new ScriptedLog();
  const seen: bigint[] = [];
  let doubts = 0;
  const guard = {
    open: false,
    refuses: () => false,
    passed: () => Promise.reject(new Unavailable('refused')),
    heed: () => Promise.resolve(),
    doubt: () => void (doubts += 1),
  };
  const log = new WatchedLog(scripted, guard, ({ position }) => void seen.push(position), thisMachine.time);
  const append = numbered('deal-1', -1, 1);
  await expect(log.append([append])).rejects.toThrow('refused');
  expect([scripted.appends.length, doubts]).toEqual([0, 0]);

  guard.open = true;
  await log.append([append]);
  expect([seen, doubts]).toEqual([[1n], 0]);

  scripted.fates.push(() => Promise.reject(new AppendOutcomeUnknown('no answer')));
  await expect(log.append([numbered('deal-1', 0, 2)])).rejects.toThrow(AppendOutcomeUnknown);
  expect(doubts).toBe(1);
  log.rest();

  scripted.onRead = () => Promise.reject(new Unavailable('away'));
  await expect(log.readStream('deal-1', 0, 1)).rejects.toThrow('away');
  expect(doubts).toBe(2);
});

it('a stream that cannot be read becomes a finding of that stream, with the log’s own message', async () => {
  const scripted = new ScriptedLog();
  scripted.readStream = () => Promise.reject(new LogUnusable('a page is damaged'));
  const heeded: [Finding | undefined, string][] = [];
  const guard = {
    open: true,
    refuses: () => false,
    passed: () => Promise.resolve(),
    doubt: () => undefined,
    heed: async (finding: Finding | undefined, stream: string) => void heeded.push([finding, stream]),
  };
  const log = new WatchedLog(scripted, guard, () => undefined, thisMachine.time);
  await expect(log.readStream('deal-1', 0, 2)).rejects.toThrow('a page is damaged');
  expect(heeded).toEqual([
    [
      expect.objectContaining({ kind: 'unreadable', stream: 'deal-1', words: expect.stringContaining('damaged') }),
      'deal-1',
    ],
  ]);
});

describe('a position that the log does not reach', () => {
  const build = (passed: () => Promise<void>): { log: WatchedLog; doubts: () => number; time: { now: number } } => {
    const time = { now: 0 };
    let doubts = 0;
    const guard = {
      open: true,
      refuses: () => false,
      passed,
      heed: () => Promise.resolve(),
      doubt: () => void (doubts += 1),
    };
    const log = new WatchedLog(new ScriptedLog(), guard, () => undefined, timeWith({ monotonic: () => time.now }));
    return { log, doubts: () => doubts, time };
  };

  it('is a "no" only after the log was checked: an older copy may have been put back', async () => {
    const { log } = build(() => Promise.reject(new Unavailable('the event log needs an operator')));
    await expect(log.reaches(1n)).rejects.toThrow('the event log needs an operator');
    expect(await log.reaches(0n)).toBe(true);
  });

  it('causes at most one check in a second, whatever callers send', async () => {
    const { log, doubts, time } = build(() => Promise.resolve());
    expect([await log.reaches(1n), await log.reaches(2n), doubts()]).toEqual([false, false, 1]);
    time.now = 1_001;
    expect([await log.reaches(1n), doubts()]).toEqual([false, 2]);
  });
});
