import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { thisMachine } from '#adapters/machine';
import { findingOf, Keyring, type LogOwner, type LogRecord, type OwnedLog } from '#eventsourcing';
import type { Position } from '#kernel';
import { KeyValuesInMemory } from '../../test/support/key-values-in-memory.js';
import { ScriptedLog } from '../../test/support/scripted-log.js';
import { LogReports } from './log-reports.js';
import { type GuardedLog, openOwnedLog } from './open-owned-log.js';
import { wrongClock } from './clock/clock-watch.js';

describe('a log behind a connection', () => {
  let steps: string[];
  let record: LogRecord;
  let log: OwnedLog;
  let keyValues: KeyValuesInMemory;

  const guarded = (reports = new LogReports()): Promise<GuardedLog> =>
    openOwnedLog(
      {
        log,
        keyValues,
        keyring: Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness),
        keys: { knows: async () => true },
        seenByViews: async () => [],
      },
      {
        accepted: new Set(),
        me: { mode: 'alone', place: 'here', process: 'one', words: 'a whole service' },
        keysShared: false,
        reports,
        logger: pino({ level: 'silent' }),
        machine: thisMachine,
      },
    );

  beforeEach(() => {
    steps = [];
    record = { identity: 'the log', owner: undefined };
    keyValues = new KeyValuesInMemory();
    const own = async (_: LogOwner | undefined, owner: LogOwner): Promise<boolean> => {
      record = { ...record, owner };
      return true;
    };
    const recordAfter = (step: string) => async (): Promise<LogRecord> => {
      steps.push(step);
      return record;
    };
    const scripted = new ScriptedLog();
    log = Object.assign(scripted, {
      record: recordAfter('asks'),
      own,
      async connect() {
        steps.push('connects');
        return {
          record: recordAfter('asks over it'),
          own,
          head: () => scripted.head(),
          eventAt: (position: Position) => scripted.eventAt(position),
          allow: () => void steps.push('allows'),
        };
      },
    });
  });

  /** What came since the last time, without repeats. */
  const since = (): string[] => {
    const taken = steps.filter((step, at) => step !== steps[at - 1]);
    steps = [];
    return taken;
  };

  it('is checked over it at the start and after each doubt, before appends may use it', async () => {
    const { guard, close } = await guarded();
    // First it compares clocks, and looks whether to wait for other processes.
    expect(since()).toEqual(['connects', 'asks', 'connects', 'asks over it', 'allows']);
    guard.doubt();
    await guard.passed();
    expect(since()).toEqual(['connects', 'asks over it', 'allows']);
    await close();
  });

  // The clock may be set right between the two comparisons; the log still has no record.
  it('is refused if its opening did not begin it, though the clocks agree now: the next start begins it', async () => {
    Object.assign(log, { notBegun: wrongClock(20_000) });
    const { guard, isRightAgain, close } = await guarded();
    expect([guard.refused, guard.findings.map(({ kind }) => kind)]).toEqual([true, ['clock']]);
    expect(since()).toEqual([]);
    expect(await isRightAgain()).toBe(true);
    expect(record.owner).toBe(undefined);
    await close();
  });

  it('is right again when the clocks agree, whatever followers have found of its streams meanwhile', async () => {
    Object.assign(log, { notBegun: wrongClock(20_000) });
    const reports = new LogReports();
    const { guard, isRightAgain, close } = await guarded(reports);
    reports.found(findingOf('cut', 'Somebody has cut it.', ['$maxCount 1'], 'deal-1'));
    expect(guard.findings.map(({ kind }) => kind)).toEqual(['clock', 'cut']);
    expect(await isRightAgain()).toBe(true);
    await close();
  });

  it('is not appended to if it is another installation’s', async () => {
    record = { ...record, owner: { installation: 'another', keys: 'others' } };
    const { guard, close } = await guarded();
    expect(guard.refused).toBe(true);
    expect(since()).toEqual(['connects', 'asks', 'connects', 'asks over it']);
    await close();
  });
});
