import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { List } from 'immutable';
import {
  countOf,
  nextCodes,
  runsOf,
  textOfCode,
  withCodes,
  withoutCodes,
  withReturned,
  withUsed,
  type CodePool,
  type CodeRun,
} from './code-pool.js';
import type { CodeAt } from './inventory.events.js';

/** A pool after events at the revisions 0, 10, 20… with so many codes. */
function poolOf(...counts: readonly number[]): CodePool {
  let pool: CodePool | null = null;
  for (const [at, count] of counts.entries()) pool = withCodes(pool, added(at * 10, count, pool?.last ?? null));
  if (pool === null) throw new Error('a pool has codes');
  return pool;
}
function added(revision: number, count: number, previous: number | null): Parameters<typeof withCodes>[1] {
  const codes = Array.from({ length: count }, (_, index) => `code-${revision}-${index}`);
  return { stock: null, held: 0, sold: 0, codes_left: null, revision, previous, codes };
}
/** A pool without the codes that it gave next, and these. */
function taking(pool: CodePool, quantity: number): { readonly pool: CodePool; readonly taken: readonly CodeRun[] } {
  const taken = runsOf(nextCodes(pool, quantity));
  return { pool: withoutCodes(pool, taken), taken };
}
const run = (revision: number, index: number, count: number): CodeRun => ({ revision, index, count });
const leftIn = ({ left }: CodePool): readonly CodeRun[] => left.toArray();
const places = (codes: readonly CodeAt[]): readonly string[] =>
  codes.map(({ revision, index }) => `${revision}/${index}`);

describe('D10: the pool of codes', () => {
  it('gives codes in the order in which they came, across the border of two events', () => {
    const pool = poolOf(2, 3);
    expect(places(nextCodes(pool, 4))).toEqual(['0/0', '0/1', '10/0', '10/1']);
    const { pool: after, taken } = taking(pool, 4);
    expect(taken).toEqual([run(0, 0, 2), run(10, 0, 2)]);
    expect(leftIn(after)).toEqual([run(10, 2, 1)]);
    expect([after.added, after.unsold, after.last]).toEqual([5, 5, 10]);
  });

  it('gives fewer codes than there are units if it has no more', () => {
    expect(nextCodes(poolOf(2), 3)).toHaveLength(2);
    expect(nextCodes(null, 3)).toEqual([]);
  });

  it('takes returned codes first, and joins those that stood together', () => {
    const first = taking(poolOf(9), 2);
    const second = taking(first.pool, 3);
    const back = withReturned(second.pool, second.taken);
    expect(leftIn(back)).toEqual([run(0, 2, 7)]);
    expect(leftIn(withReturned(back, first.taken))).toEqual([run(0, 0, 9)]);
  });

  it('takes back two checkouts that end in the other order', () => {
    const first = taking(poolOf(9), 2);
    const second = taking(first.pool, 3);
    const back = withReturned(withReturned(second.pool, first.taken), second.taken);
    expect(leftIn(back)).toEqual([run(0, 2, 3), run(0, 0, 2), run(0, 5, 4)]);
    expect(places(nextCodes(back, 6))).toEqual(['0/2', '0/3', '0/4', '0/0', '0/1', '0/5']);
  });

  it('takes those out that an event names, wherever they stand: the log counts, and not the order of this build', () => {
    const pool = poolOf(3, 5);
    expect(leftIn(withoutCodes(pool, [run(10, 1, 2)]))).toEqual([run(0, 0, 3), run(10, 0, 1), run(10, 3, 2)]);
    expect(leftIn(withoutCodes(pool, [run(10, 0, 5)]))).toEqual([run(0, 0, 3)]);
    expect(leftIn(withoutCodes(pool, [run(0, 1, 1)]))).toEqual([run(0, 0, 1), run(0, 2, 1), run(10, 0, 5)]);
    expect(leftIn(withoutCodes(pool, [run(20, 0, 1)]))).toEqual(leftIn(pool));
  });

  it('has the text of a code in the event that added it, and nowhere else', () => {
    const event = { type: 'codes-added.v1', data: added(10, 2, null) };
    expect(textOfCode(event, { revision: 10, index: 1 })).toBe('code-10-1');
    expect(textOfCode(event, { revision: 10, index: 2 })).toBeUndefined();
    expect(textOfCode(event, { revision: 0, index: 1 })).toBeUndefined();
    expect(textOfCode({ type: 'terms-set.v1', data: { terms: {} } }, { revision: 10, index: 1 })).toBeUndefined();
  });

  it('forgets codes that are sold: a million of them leave no run', () => {
    let pool = poolOf(...Array.from({ length: 1_000 }, () => 1_000));
    expect(pool.left.size).toBe(1_000);
    for (let sold = 0; sold < 1_000_000; sold += 1_000) {
      const { pool: after, taken } = taking(pool, 1_000);
      pool = withUsed(after, countOf(taken));
    }
    expect([pool.left.size, pool.unsold, pool.added]).toEqual([0, 0, 1_000_000]);
  });

  it('keeps one run for each event, however checkouts share its codes and end', () => {
    let pool = poolOf(1_000);
    const open: (readonly CodeRun[])[] = [];
    for (let at = 0; at < 500; at += 1) {
      const { pool: after, taken } = taking(pool, 1);
      pool = after;
      open.push(taken);
    }
    for (const taken of open.toReversed()) pool = withReturned(pool, taken);
    expect(leftIn(pool)).toEqual([run(0, 0, 1_000)]);
  });
});

type Step =
  | { readonly do: 'add' | 'sell' | 'check-out'; readonly count: number }
  | { readonly do: 'undo' | 'charge'; readonly which: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('add' as const, 'sell' as const, 'check-out' as const),
    count: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ do: fc.constantFrom('undo' as const, 'charge' as const), which: fc.nat(9) }),
);

describe('D10: the pool of codes under any sequence of sales', () => {
  it('has each code in one place, gives back what it took, and goes on from plain data as from the first event', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(60), (steps, restoredAt) => {
        let pool: CodePool | null = null;
        let restored: CodePool | null = null;
        /** The codes that are left, in the order in which the model gives them. */
        let model: string[] = [];
        const open: { readonly runs: readonly CodeRun[]; readonly names: readonly string[] }[] = [];
        let unsold = 0;
        const both = (change: (each: CodePool) => CodePool): void => {
          pool = pool && change(pool);
          restored = restored && change(restored);
        };
        for (const [at, each] of steps.entries()) {
          if (at === restoredAt) restored = copyOf(pool);
          if (each.do === 'add') {
            const event = added(at, each.count, null);
            pool = withCodes(pool, event);
            if (at >= restoredAt) restored = withCodes(restored, event);
            model.push(...Array.from({ length: each.count }, (_, index) => `${at}/${index}`));
            unsold += each.count;
          } else if ('count' in each) {
            const codes = nextCodes(pool, each.count);
            const names = model.slice(0, each.count);
            expect(places(codes)).toEqual(names);
            model = model.slice(each.count);
            const runs = runsOf(codes);
            both((one) => withoutCodes(one, runs));
            if (each.do === 'check-out') {
              open.push({ runs, names });
            } else {
              both((one) => withUsed(one, countOf(runs)));
              unsold -= names.length;
            }
          } else {
            const [closed] = open.splice(each.which % Math.max(open.length, 1), 1);
            if (closed === undefined) continue;
            const { runs, names } = closed;
            if (each.do === 'undo') {
              both((one) => withReturned(one, runs));
              model.unshift(...names);
            } else {
              both((one) => withUsed(one, countOf(runs)));
              unsold -= names.length;
            }
          }
          expect(pool?.unsold ?? 0).toBe(unsold);
          expect(places(nextCodes(pool, Infinity))).toEqual(model);
        }
        if (restoredAt < steps.length) expect(copyOf(restored)).toEqual(copyOf(pool));
      }),
      { seed: 11, numRuns: 2_000 },
    );
  });
});

/** The same pool from plain data, as a snapshot has it. */
function copyOf(pool: CodePool | null): CodePool | null {
  if (pool === null) return null;
  const plain = JSON.parse(JSON.stringify(pool)) as Omit<CodePool, 'left'> & { readonly left: readonly CodeRun[] };
  return { ...plain, left: List(plain.left) };
}
