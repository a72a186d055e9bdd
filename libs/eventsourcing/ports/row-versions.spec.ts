import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type RowVersion, RowVersions } from './row-versions.js';

describe('the versions of a page’s rows', () => {
  const rows = fc.array(
    fc.record({
      key: fc.string({ unit: 'grapheme' }),
      position: fc.oneof(fc.bigInt({ min: 0n, max: 30n }), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
    }),
    { maxLength: 4 },
  );

  it('are the same after they were a text', () => {
    fc.assert(fc.property(rows, (page) => expect(RowVersions.of(page).rows).toEqual(page)));
  });

  it('have the same texts exactly if the pages are the same', () => {
    const same = (one: readonly RowVersion[], other: readonly RowVersion[]): boolean =>
      one.length === other.length &&
      one.every(({ key, position }, nth) => other[nth]?.key === key && other[nth].position === position);
    fc.assert(
      fc.property(rows, rows, (one, other) => {
        const { keys, positions } = RowVersions.of(one);
        const of = RowVersions.of(other);
        expect(keys === of.keys && positions === of.positions).toBe(same(one, other));
        expect({ keys, positions }).toMatchObject(RowVersions.of([...one]));
      }),
    );
  });
});
