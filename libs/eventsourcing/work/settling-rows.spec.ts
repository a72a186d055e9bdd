import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { DueRow } from '../ports/report.js';
import { SettlingRows } from './settling-rows.js';

const NOW = 1_000_000;
const MINUTE = 60_000;

describe('rows of work lists that settle', () => {
  let passed: string[];
  let rows: SettlingRows;
  beforeEach(() => {
    jest.useFakeTimers();
    passed = [];
    const settled = (some: readonly DueRow[]): void => void passed.push(...some.map(({ key }) => key));
    rows = new SettlingRows({ now: () => NOW }, thisMachine.time, settled);
  });
  afterEach(() => void jest.useRealTimers());

  it('are passed on after half a second, unless they are gone by then', () => {
    rows.notice([
      { key: 'stays', dueAt: NOW + MINUTE },
      { key: 'goes', dueAt: NOW + 5_000 },
    ]);
    rows.notice([{ key: 'goes', dueAt: Infinity }]);
    jest.advanceTimersByTime(499);
    expect(passed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(passed).toEqual(['stays']);
    rows.notice([{ key: 'later', dueAt: NOW + MINUTE }]);
    jest.advanceTimersByTime(500);
    expect(passed).toEqual(['stays', 'later']);
  });

  it('are passed on at once if they are due about now', () => {
    rows.notice([
      { key: 'now', dueAt: NOW },
      { key: 'soon', dueAt: NOW + 400 },
    ]);
    expect(passed).toEqual(['now', 'soon']);
  });

  it('are held back too if they have been due for longer: the projector is behind, and their end may follow', () => {
    rows.notice([
      { key: 'open', dueAt: NOW - 5_000 },
      { key: 'closed', dueAt: NOW - 5_000 },
    ]);
    expect(passed).toEqual([]);
    rows.notice([{ key: 'closed', dueAt: Infinity }]);
    jest.advanceTimersByTime(500);
    expect(passed).toEqual(['open']);
  });

  it('are passed on with their last time', () => {
    rows.notice([{ key: 'moved', dueAt: NOW + MINUTE }]);
    rows.notice([{ key: 'moved', dueAt: NOW }]);
    jest.advanceTimersByTime(500);
    expect(passed).toEqual(['moved']);
  });

  it('are held back up to ten thousand; a sweep finds the others', () => {
    rows.notice(Array.from({ length: 10_002 }, (_, nth) => ({ key: `k${nth}`, dueAt: NOW + MINUTE })));
    rows.notice([
      { key: 'k0', dueAt: Infinity },
      { key: 'last', dueAt: NOW + MINUTE },
    ]);
    jest.advanceTimersByTime(500);
    expect(passed).toHaveLength(10_000);
    expect([passed[0], ...passed.slice(-2)]).toEqual(['k1', 'k9999', 'last']);
  });

  it('are forgotten at the end', () => {
    rows.notice([{ key: 'open', dueAt: NOW + MINUTE }]);
    rows.close();
    jest.advanceTimersByTime(500);
    expect(passed).toEqual([]);
  });
});
