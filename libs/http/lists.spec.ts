import { describe, expect, it } from '@jest/globals';
import { Slices } from '#eventsourcing';
import { answerList, counted, presentAll } from './lists.js';

describe('the answer of a list', () => {
  const page = (rows: readonly string[]): object => ({ rows: rows.map((row) => row.toUpperCase()) });

  it('4.1: is the page after its status', async () => {
    expect(JSON.stringify(await answerList(['a'], page))).toBe('{"status":"success","rows":["A"]}');
    expect(JSON.stringify(await answerList([], async (rows: readonly string[]) => page(rows)))).toBe(
      '{"status":"success","rows":[]}',
    );
  });

  it('4.1: is the count if the caller asks for it, also if it is 0, and no page is read', async () => {
    const never = (): object => {
      throw new Error('no page was asked for');
    };
    expect(JSON.stringify(await answerList(0, never))).toBe('{"status":"success","count":0}');
    expect(JSON.stringify(await counted(7, never))).toBe('{"count":7}');
  });
});

describe('rows that are presented in slices', () => {
  /** A clock that each look moves on by this many milliseconds, and that counts the turns of others. */
  function clockThatRuns(milliseconds: number): { readonly slices: Slices; readonly turns: () => number } {
    let now = 0;
    let turns = 0;
    const time = { monotonic: () => (now += milliseconds), turn: async () => void (turns += 1) };
    return { slices: new Slices(time), turns: () => turns };
  }
  const rows = Array.from({ length: 100 }, (_, n) => n);

  it('keep their order, and let others have their turn again and again', async () => {
    const { slices, turns } = clockThatRuns(1);
    expect(await presentAll(rows, (row) => row * 2, slices)).toEqual(rows.map((row) => row * 2));
    // Six looks to a slice: the clock then shows more than 5 ms.
    expect(turns()).toBe(16);
  });

  it('never wait if they fit into one slice', async () => {
    const { slices, turns } = clockThatRuns(0);
    expect(await presentAll(rows, (row) => row, slices)).toEqual(rows);
    expect(turns()).toBe(0);
  });
});
