import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { iterated } from './iterated.js';

describe('an iteration over rows', () => {
  const database = new DatabaseSync(':memory:');
  database.function('checked', (value) => {
    if (value === 3) throw new Error('three');
    return value;
  });
  const statement = database.prepare(
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT checked(i) AS i FROM n',
  );
  const rows = (most: number, take: (i: number) => boolean = () => true): number[] => {
    const found: number[] = [];
    iterated<{ i: number }>(statement, [most], ({ i }) => {
      found.push(i);
      return take(i);
    });
    return found;
  };

  it('ends with the last row, or when nobody wants more', () => {
    expect(rows(2)).toEqual([1, 2]);
    expect(rows(9, (i) => i < 2)).toEqual([1, 2]);
    expect(rows(2)).toEqual([1, 2]);
  });

  it('that fails leaves the statement as it was', () => {
    expect(() => rows(9)).toThrow('three');
    expect(rows(2)).toEqual([1, 2]);
    const refuse = (): boolean => {
      throw new Error('too many');
    };
    expect(() => rows(2, refuse)).toThrow('too many');
    expect(rows(2)).toEqual([1, 2]);
  });
});
