import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BoundedMap } from '#eventsourcing';

describe('a bounded map', () => {
  it('keeps entries that were read within a generation, and drops the others', () => {
    const map = new BoundedMap<string, number>(3);
    map.set('kept', 1);
    map.set('dropped', 2);
    for (let n = 0; n < 10; n += 1) {
      expect(map.get('kept')).toBe(1);
      map.set(`filling ${n}`, n);
    }
    expect(map.get('dropped')).toBeUndefined();
  });

  it('bounds what its entries weigh together, if they have weights', () => {
    const map = new BoundedMap<number, string>(100, (value, key) => value.length + (key === 0 ? 50 : 0));
    const heldOf = (): number =>
      Array.from({ length: 40 }, (_, key) => map.get(key)?.length ?? 0).reduce((a, b) => a + b);
    for (let key = 1; key < 40; key += 1) map.set(key, 'x'.repeat(30));
    expect(heldOf()).toBeLessThanOrEqual(2 * 100 + 30);
    map.clear();
    // Setting or deleting an entry again and again weighs it once.
    for (let n = 0; n < 100; n += 1) {
      map.set(1, 'x'.repeat(30));
      map.set(2, 'x'.repeat(30));
      map.delete(2);
    }
    map.set(3, 'x'.repeat(60));
    expect([1, 3].map((key) => map.get(key)?.length)).toEqual([30, 60]);
    map.set(0, '');
    map.set(4, 'x'.repeat(100));
    expect(map.get(1)).toBeUndefined();
  });

  it('takes back what a value weighed when it was set, also if it has grown since', () => {
    const map = new BoundedMap<string, { size: number }>(100, ({ size }) => size);
    const growing = { size: 10 };
    map.set('growing', growing);
    map.set('other', { size: 40 });
    growing.size = 50;
    map.set('growing', growing);
    map.delete('growing');
    map.set('more', { size: 50 });
    map.set('enough', { size: 10 });
    map.set('a generation later', { size: 100 });
    expect(['other', 'more', 'enough', 'a generation later'].map((key) => map.get(key)?.size)).toEqual([
      undefined,
      undefined,
      undefined,
      100,
    ]);
  });

  it('returns the last value set, or nothing, and has never more than two generations', () => {
    const operation = fc.oneof(
      fc.record({ op: fc.constant('set' as const), key: fc.nat(12) }),
      fc.record({ op: fc.constant('get' as const), key: fc.nat(12) }),
      fc.record({ op: fc.constant('delete' as const), key: fc.nat(12) }),
      fc.record({ op: fc.constant('clear' as const), key: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const map = new BoundedMap<number, number>(4);
        const model = new Map<number, number>();
        operations.forEach(({ op, key }, value) => {
          if (op === 'set') {
            map.set(key, value);
            model.set(key, value);
          } else if (op === 'delete') {
            map.delete(key);
            model.delete(key);
          } else if (op === 'clear') {
            map.clear();
            model.clear();
          } else {
            const found = map.get(key);
            if (found !== undefined) expect(found).toBe(model.get(key));
          }
        });
        const held = Array.from({ length: 13 }, (_, key) => key).filter((key) => map.get(key) !== undefined);
        expect(held.length).toBeLessThanOrEqual(8);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
