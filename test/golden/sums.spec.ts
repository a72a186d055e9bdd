import { describe, expect, it } from '@jest/globals';
import { grownSums } from './sums.js';

const line = (file: string, sum: string): string => `${sum.padEnd(64, '0')}  ${file}`;

describe('the list of samples and recordings', () => {
  const listed = [line('a.v1.json', '1'), line('b.v1.json', '2')];

  it('gets what was added', () => {
    const present = [...listed, line('b.v2.json', '3')];
    expect(grownSums(listed, present)).toEqual(present);
  });

  it.each([
    ['has changed', [line('a.v1.json', '9'), line('b.v1.json', '2')]],
    ['is gone', [line('b.v1.json', '2')]],
  ])('stays as it is if something that is listed %s', (_, present) => {
    expect(() => grownSums(listed, present)).toThrow(/^a\.v1\.json in test\/golden: .*next version/);
  });
});
