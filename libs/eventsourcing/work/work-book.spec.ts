import { beforeEach, describe, expect, it } from '@jest/globals';
import { defineView, type WorkRow } from '#kernel';
import { type StoredRow, type TriedWork, type ViewReader, ViewNotReady, type Where } from '#eventsourcing';
import type { OpenWork } from './open-work.js';
import { WorkBook } from './work-book.js';

const NOW = 1_000_000;
const view = defineView<WorkRow, never>({ name: 'jobs', version: 1, key: () => [], on: {} });
const jobs: OpenWork = {
  ...{ name: 'jobs', view },
  shown: { does: 'Does jobs.', about: () => ({}) },
  run: () => Promise.resolve(),
};

describe('G6.2: the open work of all lists', () => {
  let rows: Map<string, WorkRow>;
  let isReady: boolean;
  let tries: Map<string, number> | undefined;
  let asked: string[][];
  let retried: string[];
  let book: WorkBook;

  beforeEach(() => {
    rows = new Map();
    isReady = true;
    tries = new Map();
    asked = [];
    retried = [];
    const matching = (where: Where): readonly StoredRow<WorkRow>[] => {
      if (!isReady) throw new ViewNotReady('jobs');
      const holds = ({ due_at }: WorkRow): boolean => {
        if (where.op === 'gt') return due_at > Number(where.value);
        return where.op !== 'lte' || due_at <= Number(where.value);
      };
      return [...rows]
        .filter(([, row]) => holds(row))
        .sort(([, one], [, other]) => one.due_at - other.due_at)
        .map(([key, row]) => ({ key, row, position: 1n }));
    };
    const reader: Pick<ViewReader, 'get' | 'find' | 'count'> = {
      get: async (key) => matching({ op: 'and', of: [] }).find((stored) => stored.key === key),
      find: async ({ where, page, perPage }) => matching(where).slice((page - 1) * perPage, page * perPage),
      count: async (where) => matching(where).length,
    };
    const timers = {
      tried: async (list: string, keys: readonly string[]): Promise<readonly TriedWork[] | undefined> => {
        asked.push([...keys]);
        return (
          tries &&
          keys.flatMap((key) => {
            const made = tries?.get(key);
            return made === undefined ? [] : [{ list, key, tries: made, error: 'not now', nextTryAt: NOW + 1 }];
          })
        );
      },
      retry: (list: string, key: string) => void retried.push(`${list}/${key}`),
    };
    const readers = { reader: () => reader } as never;
    book = new WorkBook([jobs], readers, timers, { now: () => NOW });
  });

  it('counts what waits, is due and is stuck, and names what is due first', async () => {
    rows
      .set('later', { due_at: NOW + 1 })
      .set('due', { due_at: NOW })
      .set('stuck', { due_at: NOW - 5 });
    tries?.set('stuck', 10).set('due', 9);
    const first = { key: 'stuck', row: { due_at: NOW - 5 }, position: 1n };
    expect(await book.counts()).toEqual([{ list: 'jobs', waiting: 1, due: 2, stuck: 1, first }]);
    expect(await book.stuck()).toMatchObject([{ key: 'stuck', tries: 10 }]);
  });

  it('looks for what is stuck among the thousand that are due the longest, and asks nobody if nothing is due', async () => {
    rows.set('later', { due_at: NOW + 1 });
    expect(await book.stuck()).toEqual([]);
    expect(asked).toEqual([]);
    for (let nth = 0; nth < 1_500; nth += 1) {
      tries?.set(`k${nth}`, 10);
      rows.set(`k${nth}`, { due_at: NOW - nth });
    }
    const stuck = await book.stuck();
    expect([stuck.length, stuck[0]?.key]).toEqual([1_000, 'k1499']);
  });

  it.each([
    ['waiting', NOW + 1, 12, 'waiting'],
    ['due, never tried', NOW, undefined, 'due'],
    ['due, tried nine times', NOW - 1, 9, 'due'],
    ['due, tried ten times', NOW - 1, 10, 'stuck'],
  ] as const)('says the state of a row: %s', async (_, due_at, made, state) => {
    rows.set('a', { due_at });
    if (made !== undefined) tries?.set('a', made);
    expect(await book.row(jobs, 'a')).toMatchObject({ key: 'a', state });
    expect(await book.page(jobs, 1, 10)).toMatchObject([{ key: 'a', state }]);
    expect(await book.page(jobs, 2, 10)).toEqual([]);
    expect(await book.count(jobs)).toBe(1);
  });

  it('does not say what it does not know: while a view is built, and where no timers run', async () => {
    rows.set('a', { due_at: NOW });
    tries = undefined;
    expect(await book.row(jobs, 'a')).toMatchObject({ state: 'due', tried: undefined });
    expect(await book.counts()).toMatchObject([{ due: 1, stuck: null }]);
    isReady = false;
    expect(await book.counts()).toEqual([{ list: 'jobs', waiting: null, due: null, stuck: null, first: null }]);
    expect(await book.stuck()).toEqual([]);
    await expect(book.row(jobs, 'a')).rejects.toThrow('being built');
  });

  it('finds a list by its name, and passes a retry on', () => {
    expect([book.list('jobs'), book.list('others')]).toEqual([jobs, undefined]);
    book.retry(jobs, 'a');
    expect(retried).toEqual(['jobs/a']);
  });
});
