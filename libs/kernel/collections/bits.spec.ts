import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Bits } from './bits.js';

/** Numbers near the ends of words and pages, and any others. */
const number = fc.oneof(fc.nat(100), fc.nat(20_000), fc.constantFrom(47, 48, 3_071, 3_072, 6_143, 6_144));

describe('a set of bits', () => {
  it('has what was added, as a set of numbers has, in each version of it', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 60 }), fc.array(number), (added, asked) => {
        const versions = [{ bits: Bits.none, numbers: new Set<number>() }];
        let [{ bits, numbers }] = versions as [(typeof versions)[number]];
        for (const each of added) {
          bits = bits.with(each);
          numbers = new Set([...numbers, each]);
          versions.push({ bits, numbers });
        }
        for (const version of versions) {
          expect(version.bits.size).toBe(version.numbers.size);
          for (const each of [...added, ...asked]) expect(version.bits.has(each)).toBe(version.numbers.has(each));
        }
        const parts = [...bits.parts()];
        expect(Bits.from(parts)).toEqual(bits);
        expect([...Bits.from(parts).parts()]).toEqual(parts);
      }),
      { seed: 1 },
    );
  });

  it('goes in parts of at most 32 KiB, and takes little more than a bit for each number', () => {
    let bits = Bits.none;
    for (let at = 0; at < 400_000; at += 3) bits = bits.with(at);
    const parts = [...bits.parts()];
    expect(parts.map(({ byteLength }) => byteLength)).toEqual([32_768, 32_768, 512 * 3]);
    expect(bits.bytes).toBeLessThan(400_000 / 5);
    const again = Bits.from(parts);
    expect([again.has(399_999), again.has(399_998), again.has(0), again.has(1)]).toEqual([true, false, true, false]);
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 32, 2 ** 53, Number.MAX_VALUE])(
    'D1: refuses %d by name: it would grow to it',
    (number) => {
      expect(() => Bits.none.with(number)).toThrow(
        `a number of a set of bits must be a whole number from 0 to below 4294967296, not ${number}`,
      );
    },
  );

  it('takes its largest number, with one page for all that are missing', () => {
    const largest = Bits.none.with(2 ** 32 - 1);
    expect([largest.has(2 ** 32 - 1), largest.has(2 ** 32 - 2)]).toEqual([true, false]);
    expect(largest.with(7).has(7)).toBe(true);
  });

  it.each<[string, readonly number[], string]>([
    ['a huge word', [2 ** 48], 'a word of a set of bits must be a whole number from 0 to below 281474976710656'],
    ['a negative word', [-1], 'a word of a set of bits'],
    ['a fractional word', [0.5], 'a word of a set of bits'],
    ['a word that is no number', [NaN], 'a word of a set of bits'],
  ])('D1: is not made of a part with %s', (_, words, message) => {
    const part = new Float64Array(64);
    part.set(words, 63);
    expect(() => Bits.from([new Float64Array(64), part])).toThrow(message);
  });

  it('D1: is not made of a part that ends within a page', () => {
    expect(() => Bits.from([new Float64Array(65)])).toThrow('what a page of a set of bits lacks');
  });

  it('knows how many numbers it has', () => {
    expect(Array.from({ length: 96 }, (_, at) => at).reduce((all, at) => all.with(at), Bits.none).size).toBe(96);
    expect([Bits.none.size, Bits.none.with(1_000_000).size]).toEqual([0, 1]);
  });

  it('is the same if a number is added again', () => {
    const bits = Bits.none.with(5);
    expect(bits.with(5)).toBe(bits);
  });
});
