import { describe, expect, it } from '@jest/globals';
import { presenterOf } from './presenters.js';

describe('H6: the presenter of a version', () => {
  const table = { 1: 'first', 3: 'third', 4: 'fourth' };
  it.each([
    [1, 'first'],
    [2, 'first'],
    [3, 'third'],
    [4, 'fourth'],
    [9, 'fourth'],
  ])('%d is the newest one that is not newer', (version, expected) => {
    expect(presenterOf(table, version)).toBe(expected);
  });
});
