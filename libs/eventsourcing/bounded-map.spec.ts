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
