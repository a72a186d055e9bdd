import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fold } from '#eventsourcing';

describe('folding of text for contains', () => {
  it.each([
    ['case', 'Crème BRÛLÉE', 'crème brûlée'],
    ['sharp s', 'STRASSE', 'straße'],
    ['capital sharp s', 'STRAẞE', 'straße'],
    ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
    ['compatibility forms', 'ﬁne Ｄｅａｌ ²', 'fine deal 2'],
    ['the two small sigmas', 'ΟΔΟΣ', 'οδος'],
  ])('treats %s as equal', (_, one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  it('finds a part that ends in a sigma within a longer word, which plain lower case does not', () => {
    expect(fold('ΟΔΟΣΑ')).toContain(fold('ΟΔΟΣ'));
  });

  it('keeps different letters apart', () => {
    expect(fold('cafe')).not.toBe(fold('café'));
  });

  it('is stable: folded text stays the same, and text folds like its lower case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
        expect(fold(text.toLowerCase())).toBe(fold(text));
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });
});
