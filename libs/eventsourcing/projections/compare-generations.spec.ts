import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { Position } from '#kernel';
import type { GenerationRows, RowText } from '../ports/generation-rows.js';
import { GenerationComparison } from './compare-generations.js';

/** Rows in memory, as a generation has them. */
class Rows implements GenerationRows {
  readonly rows = new Map<string, RowText>();
  at: Position = 10n;
  reads = 0;
  /** Called before a page is read. */
  beforeRead: (read: number) => void = () => undefined;

  constructor(rows: Readonly<Record<string, object>> = {}) {
    for (const [key, row] of Object.entries(rows)) this.set(key, row);
  }
  set(key: string, row: object, position: Position = 1n): void {
    this.rows.set(key, { key, text: JSON.stringify(row), position });
  }
  async after(key: string | undefined, most: number): Promise<readonly RowText[]> {
    this.beforeRead((this.reads += 1));
    const inOrder = [...this.rows.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
    const start = key === undefined ? 0 : inOrder.findIndex((row) => row.key === key) + 1;
    return inOrder.slice(start, start + most);
  }
  async withKeys(keys: readonly string[]): Promise<readonly RowText[]> {
    return keys.flatMap((key) => this.rows.get(key) ?? []);
  }
  async position(): Promise<Position> {
    return this.at;
  }
  async size(): Promise<number> {
    return this.rows.size;
  }
  close(): void {
    this.rows.clear();
  }
}

const never = new AbortController().signal;
const compare = (live: Rows, other: Rows) => new GenerationComparison(live, other, thisMachine.time).run(never);
const nothing = { added: [], removed: [], changed: [] };

describe('G6.1: two generations are compared row by row', () => {
  it.each([
    ['both are empty', {}, {}, { rows: 0, added: 0, removed: 0, changed: 0, samples: nothing }],
    ['equal rows', { a: { n: 1 } }, { a: { n: 1 } }, { rows: 1, added: 0, removed: 0, changed: 0, samples: nothing }],
    [
      'rows of one or the other, in the order of UTF-8',
      { a: {}, b: {}, '\u{10000}': {} },
      { b: {}, c: {}, '\uFFFD': {} },
      {
        rows: 5,
        added: 2,
        removed: 2,
        changed: 0,
        samples: { ...nothing, added: ['c', '\uFFFD'], removed: ['a', '\u{10000}'] },
      },
    ],
    [
      'fields: numbers are shown, and of texts and lists only that they differ',
      { a: { n: 1, units: { sold: 3, held: 0 }, name: 'Ann', codes: ['x'], gone: 1, same: 'y' } },
      { a: { n: 1, units: { sold: 4, held: 0 }, name: 'Eve', codes: [], is: true, same: 'y' } },
      {
        ...{ rows: 1, added: 0, removed: 0, changed: 1 },
        samples: {
          ...nothing,
          changed: [
            {
              key: 'a',
              fields: [
                { field: 'units.sold', live: 3, other: 4 },
                { field: 'name', live: '(text)', other: '(text)' },
                { field: 'codes', live: '(list)', other: '(list)' },
                { field: 'gone', live: 1, other: '(absent)' },
                { field: 'is', live: '(absent)', other: true },
              ],
            },
          ],
        },
      },
    ],
    [
      'another order of the fields is no difference',
      { a: { n: 1, m: 2 } },
      { a: { m: 2, n: 1 } },
      { rows: 1, added: 0, removed: 0, changed: 0, samples: nothing },
    ],
  ] as const)('%s', async (_, live, other, found) => {
    expect(await compare(new Rows(live), new Rows(other))).toEqual(found);
  });

  it('more pages than one, with ten samples of each, and says how far it is', async () => {
    const [live, other] = [new Rows(), new Rows()];
    for (let nth = 0; nth < 3_000; nth += 1) {
      const key = `k${String(nth).padStart(5, '0')}`;
      if (nth % 3 !== 1) live.set(key, { nth });
      if (nth % 3 !== 2) other.set(key, { nth });
    }
    const comparison = new GenerationComparison(live, other, thisMachine.time);
    const seen: number[] = [];
    live.beforeRead = () => void seen.push(comparison.progress.rows);
    const { samples, ...counts } = await comparison.run(never);
    expect(counts).toEqual({ rows: 3_000, added: 1_000, removed: 1_000, changed: 0 });
    expect([samples.added.length, samples.removed[0]]).toEqual([10, 'k00002']);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual(seen.toSorted((one, next) => one - next));
    expect(comparison.progress).toEqual({ rows: 3_000, of: 3_000 });
  });

  it('a row that is written meanwhile, first in one and then in the other, is no difference', async () => {
    const [live, other] = [new Rows({ a: { n: 1 } }), new Rows({ a: { n: 1 } })];
    live.beforeRead = (read) => {
      if (read !== 1) return;
      live.set('a', { n: 2 }, 11n);
      live.set('new', { n: 1 }, 12n);
      live.at = 12n;
    };
    const { withKeys } = other;
    other.withKeys = (keys) => {
      other.set('a', { n: 2 }, 11n);
      other.set('new', { n: 1 }, 12n);
      return withKeys.call(other, keys);
    };
    expect(await compare(live, other)).toMatchObject({ added: 0, removed: 0, changed: 0 });
  });

  it('a row that is written meanwhile and stays different is one', async () => {
    const [live, other] = [new Rows({ a: { n: 1 } }), new Rows({ a: { n: 1 } })];
    live.beforeRead = () => {
      live.set('a', { n: 2 }, 11n);
      live.at = 11n;
    };
    expect(await compare(live, other)).toMatchObject({ changed: 1, samples: { changed: [{ key: 'a' }] } });
  });

  it('ends when nobody waits for it any more', async () => {
    const left = AbortSignal.abort(new Error('the caller has left'));
    const comparison = new GenerationComparison(new Rows({ a: {} }), new Rows(), thisMachine.time);
    await expect(comparison.run(left)).rejects.toThrow('the caller has left');
  });
});
