import { expect, it } from '@jest/globals';
import { hashOf } from './hash-of.js';

it('a hash never changes: it stands in snapshots', () => {
  expect(hashOf('0190a6e2c1b3f00d0190a6e2c1b3f00d')).toEqual({ low: 524_390_218_689_099, high: 691_689 });
});

it('each of its 72 bits depends on the text', () => {
  const ones = Array.from({ length: 72 }, () => 0);
  for (let at = 0; at < 2_000; at += 1) {
    const { low, high } = hashOf(`id-${at}`);
    expect([low < 2 ** 52, high < 2 ** 20]).toEqual([true, true]);
    for (let bit = 0; bit < 52; bit += 1) ones[bit] = (ones[bit] ?? 0) + (Math.floor(low / 2 ** bit) % 2);
    for (let bit = 0; bit < 20; bit += 1) ones[52 + bit] = (ones[52 + bit] ?? 0) + (Math.floor(high / 2 ** bit) % 2);
  }
  for (const count of ones) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
