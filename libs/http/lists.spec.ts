import { describe, expect, it } from '@jest/globals';
import { answerList, counted } from './lists.js';

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
