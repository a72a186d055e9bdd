import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldText, wordsOf } from './plain-text.js';

describe('C3: folding of text for contains', () => {
  it.each([
    ['case', 'Crème BRÛLÉE', 'crème brûlée'],
    ['sharp s', 'STRASSE', 'straße'],
    ['capital sharp s', 'STRAẞE', 'straße'],
    ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
    ['accents', 'Café Ñandú ΏΡΑ', 'cafe nandu ωρα'],
    ['letters with strokes, and ligatures', 'Łódź Smørrebrød Cœur Æther', 'lodz smorrebrod coeur aether'],
    ['apostrophes', 'Joe’s Joe‘s Joeʼs Joe´s', "joe's joe's joe's joe's"],
    ['hyphens', 'all‑day half–price', 'all-day half-price'],
    ['compatibility forms', 'ﬁne Ｄｅａｌ ²', 'fine deal 2'],
    ['the two small sigmas', 'ΟΔΟΣ', 'οδος'],
  ])('treats %s as equal', (_, one, other) => {
    expect(foldText(one)).toBe(foldText(other));
  });

  it('finds a part that ends in a sigma within a longer word, which plain lower case does not', () => {
    expect(foldText('ΟΔΟΣΑ')).toContain(foldText('ΟΔΟΣ'));
  });

  it('keeps different letters and signs apart', () => {
    expect(foldText('कि')).not.toBe(foldText('का'));
    expect(foldText('50%')).not.toBe(foldText('50'));
    expect(foldText('が')).not.toBe(foldText('か'));
  });

  it('is stable: folded text stays the same, and text folds like its lower case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
        expect(foldText(text.toLowerCase())).toBe(foldText(text));
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });

  it('takes ASCII in one step to the same text as any other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(foldText(`${text}é`)).toBe(`${foldText(text)}e`);
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

describe('B5: the words of a name', () => {
  it.each([
    ['Food & Drink', 'food drink'],
    ['  Spa/Beauty  ', 'spa beauty'],
    ['Kids’ Stuff', 'kids stuff'],
    ["Coeur d'Alene", 'coeur dalene'],
    ['Winston-Salem', 'winston salem'],
    ['CAFÉS', 'cafes'],
    ['Żywność', 'zywnosc'],
    ['हिन्दी', 'हिन्दी'],
    ['&', ''],
  ])('%s', (name, words) => {
    expect(wordsOf(name).join(' ')).toBe(words);
  });
});
