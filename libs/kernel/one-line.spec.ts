import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginning, closed, isolated, oneLine } from './one-line.js';

const FAMILY = '👩‍👩‍👧‍👦';

describe('F4: a text as one line', () => {
  it.each([
    [`A day for the ${FAMILY}`, `A day for the ${FAMILY}`],
    ['می‌خواهم', 'می‌خواهم'],
    ['soft\u00adhyphen', 'soft\u00adhyphen'],
    ['a\r\nBcc: b', 'a Bcc: b'],
    [' a \t\u0000\u2028\u2029 b\u00a0', 'a b'],
    ['a\ud800b', 'a b'],
  ])('%j is %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  it('begins with whole characters', () => {
    expect(beginning('ab😀', 3)).toBe('ab');
    expect(beginning('ab😀', 4)).toBe('ab😀');
    expect(beginning('ab😀c', 4)).toBe('ab😀');
    expect(beginning('abc', 2)).toBe('ab');
  });
});

describe('F4: a text among other words', () => {
  it.each([
    ['Tea for two', 'Tea for two'],
    [FAMILY, FAMILY],
    ['תה לשניים', '\u2068תה לשניים\u2069'],
    ['a\u202eb', '\u2068a\u202eb\u2069'],
    // It cannot end the isolate around it, nor leave one open.
    ['a\u2069\u202eb', '\u2068a\u202eb\u2069'],
    ['a\u2067b', '\u2068a\u2067b\u2069\u2069'],
    ['\u2067a\u2069b', '\u2068\u2067a\u2069b\u2069'],
  ])('%j is %j', (text, words) => {
    expect(isolated(text)).toBe(words);
  });

  it('ends what it begins, however it was cut', () => {
    const marks = fc.constantFrom('a', '\u05d0', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069');
    fc.assert(
      fc.property(fc.array(marks), fc.nat(), (parts, cut) => {
        const text = closed(isolated(parts.join('')).slice(0, cut % (parts.length + 3)));
        let open = 0;
        for (const mark of text) {
          if (/[\u2066-\u2068]/.test(mark)) open += 1;
          if (mark === '\u2069') open -= 1;
          expect(open).toBeGreaterThanOrEqual(0);
        }
        expect(open).toBe(0);
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });
});
