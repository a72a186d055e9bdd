import { describe, expect, it } from '@jest/globals';
import { WeighedCache } from './weighed-cache.js';

interface Sized {
  readonly size: number;
}
const bySize = ({ size }: Sized): number => size;

describe('a cache of values that are weighed', () => {
  it('never weighs more than its most, and knows what it weighs', () => {
    const cache = new WeighedCache<Sized>(1_000, bySize);
    const sizes = new Map<string, number>();
    for (let n = 0; n < 10_000; n += 1) {
      const key = `k${(n * 7_919) % 300}`;
      if (n % 11 === 0) cache.delete(key);
      else cache.set(key, { size: 1 + ((n * 31) % 60) });
      sizes.set(key, n);
      expect(cache.weight).toBeLessThanOrEqual(1_000);
    }
    const held = [...sizes.keys()].reduce((sum, key) => sum + (cache.get(key)?.size ?? 0), 0);
    expect(cache.weight).toBe(held);
    cache.clear();
    expect(cache.weight).toBe(0);
    expect(cache.get('k0')).toBeUndefined();
  });

  // A popular deal must not push out all others.
  it('drops the largest of those that nobody asked for lately', () => {
    const cache = new WeighedCache<Sized>(1_000, bySize);
    cache.set('large', { size: 300 });
    for (let n = 0; n < 200; n += 1) cache.set(`small${n}`, { size: 4 });
    expect(cache.get('large')).toBeUndefined();
    const kept = Array.from({ length: 200 }, (_, n) => cache.get(`small${n}`)).filter((each) => each !== undefined);
    expect(kept).toHaveLength(200);
  });

  it('keeps what is asked for again and again, however large it is', () => {
    const cache = new WeighedCache<Sized>(1_000, bySize);
    cache.set('hot', { size: 600 });
    for (let n = 0; n < 10_000; n += 1) {
      cache.set(`other${n}`, { size: 10 });
      if (n % 5 === 0) expect(cache.get('hot')).toBeDefined();
    }
  });

  it('drops those of one size in the order in which they were asked for', () => {
    const cache = new WeighedCache<Sized>(100, bySize);
    for (let n = 0; n < 10; n += 1) cache.set(`k${n}`, { size: 10 });
    for (let n = 0; n < 5; n += 1) cache.get(`k${n}`);
    for (let n = 0; n < 5; n += 1) cache.set(`new${n}`, { size: 10 });
    const kept = Array.from({ length: 10 }, (_, n) => `k${n}`).filter((key) => cache.get(key) !== undefined);
    expect(kept).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
  });

  it('does not keep a value that weighs more than everything may', () => {
    const cache = new WeighedCache<Sized>(100, bySize);
    cache.set('a', { size: 10 });
    cache.set('giant', { size: 101 });
    expect(cache.get('giant')).toBeUndefined();
    cache.set('b', { size: 10 });
    expect(cache.get('b')).toEqual({ size: 10 });
    expect(cache.weight).toBeLessThanOrEqual(20);
  });

  it('counts what a value weighs when it is set again', () => {
    const cache = new WeighedCache<Sized>(100, bySize);
    cache.set('a', { size: 10 });
    cache.set('a', { size: 40 });
    expect(cache.weight).toBe(40);
  });

  // A step that moves or passes all entries would stop the whole process.
  it('takes about as long for each of many as for each of few', () => {
    const times = [5_000, 50_000].map((entries) => {
      const cache = new WeighedCache<Sized>(entries, () => 1);
      for (let n = 0; n < 2 * entries; n += 1) cache.set(`k${n}`, { size: 1 });
      const began = performance.now();
      for (let n = 0; n < 10_000; n += 1) {
        cache.set(`n${n}`, { size: 1 });
        cache.get(`k${2 * entries - 1 - ((n * 13) % entries)}`);
      }
      return performance.now() - began;
    });
    expect(times[1]).toBeLessThan(10 * (times[0] ?? 0));
  });
});
