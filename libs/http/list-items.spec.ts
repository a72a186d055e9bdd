import { beforeEach, describe, expect, it } from '@jest/globals';
import { ViewChanges, type Time } from '#eventsourcing';
import type { Instant, Position, View } from '#kernel';
import { engineOf } from '../../test/support/engine-of.js';
import { ListItems, type AskedItems, type ReadItem } from './list-items.js';
import type { ViewFinder } from './shown-views.js';

/** A clock that stands still. */
const still = { monotonic: () => 0, turn: async () => undefined };

interface Row {
  readonly position: Position;
  readonly title: string;
  readonly turns?: readonly Instant[];
  readonly isCertain?: boolean;
}

const finderOf = (name: string): ViewFinder<string> => ({ view: { name }, find: async (key) => `${key} in ${name}` });
/** The views that the items here show. */
const SHOWS = {
  rows: { name: 'rows' } as View<Row>,
  along: { bodies: finderOf('bodies') },
  besides: { regions: finderOf('regions') },
};
type Shown = (typeof SHOWS)['along'] & (typeof SHOWS)['besides'];
type Items = ListItems<number, Row, (typeof SHOWS)['along'], (typeof SHOWS)['besides']>;
type Asked = AskedItems<number, Row, Shown>;

describe('the remembered items of a list', () => {
  let items: Items;
  let changes: ViewChanges;
  let rows: Map<string, Row>;
  /** The rows that were read, in order. */
  let reads: string[];

  beforeEach(() => {
    changes = new ViewChanges();
    items = itemsWith(still);
    rows = new Map();
    reads = [];
  });

  function itemsWith(time: Pick<Time, 'monotonic' | 'turn'>): Items {
    const reader = () => ({
      async get(key: string) {
        reads.push(key);
        const row = rows.get(key);
        return row && { key, position: row.position, row };
      },
    });
    // The view of the bodies has the row's version, unless the row says otherwise.
    const has = ({ name }: { readonly name: string }) =>
      name !== 'bodies' || ![...rows.values()].some(({ isCertain }) => isCertain === false);
    const parts = { reader: engineOf({ views: { reader }, freshness: { has } }).reader, changes, time: time as Time };
    return new ListItems(parts, SHOWS, 1_000_000);
  }

  const askedFor = (keys: readonly string[], more: Partial<Asked> = {}): Asked => ({
    rows: keys.map((key) => ({ key, position: rows.get(key)?.position ?? 0n })),
    now: 100,
    shape: 'plain',
    take: () => undefined,
    read: ({ row: { title, turns = [] } }) => ({ size: title.length, turns, show: () => ({ title }) }),
    ...more,
  });
  const page = async (keys: readonly string[], more: Partial<Asked> = {}): Promise<string> => {
    reads = [];
    return (await items.of(askedFor(keys, more))).items
      .map((json) => (JSON.parse(json.toString()) as Row).title)
      .join(' ');
  };

  it('are read once, in the order of each page', async () => {
    for (const key of ['a', 'b', 'c']) rows.set(key, { position: 1n, title: key.toUpperCase() });
    expect([await page(['c', 'a']), reads]).toEqual(['C A', ['c', 'a']]);
    expect([await page(['a', 'b', 'c']), reads]).toEqual(['A B C', ['b']]);
    expect([await page(['b', 'c']), reads]).toEqual(['B C', []]);
    expect(await page([])).toBe('');
  });

  it('are read again when their row has changed, and no others', async () => {
    for (const key of ['a', 'b']) rows.set(key, { position: 1n, title: 'old' });
    await page(['a', 'b']);
    rows.set('a', { position: 2n, title: 'new' });
    expect([await page(['a', 'b']), reads]).toEqual(['new old', ['a']]);
    // Also when an older generation of the view has become the live one.
    rows.set('a', { position: 1n, title: 'old' });
    expect([await page(['a', 'b']), reads]).toEqual(['old old', ['a']]);
  });

  it('belong to the version that was read, which may be newer than the one that the list found', async () => {
    rows.set('a', { position: 7n, title: 'new' });
    const older = { rows: [{ key: 'a', position: 6n }] };
    expect(await page(['a'], older)).toBe('new');
    expect([await page(['a']), reads]).toEqual(['new', []]);
    expect([await page(['a'], older), reads]).toEqual(['new', ['a']]);
  });

  it('differ by shape', async () => {
    rows.set('a', { position: 1n, title: 'plain' });
    await page(['a']);
    rows.set('a', { position: 1n, title: 'other' });
    expect([await page(['a'], { shape: 'other' }), reads]).toEqual(['other', ['a']]);
    expect([await page(['a']), reads]).toEqual(['plain', []]);
    // Neither the name of a shape nor a key can stand for another pair of them.
    rows.set('1 a', { position: 1n, title: 'one' });
    expect(await page(['1 a'], { shape: 'plain1' })).toBe('one');
  });

  it('count only between the times at which the clock changes them, forwards and backwards', async () => {
    rows.set('a', { position: 1n, title: 'now', turns: [200, 100, 50] });
    await page(['a']);
    for (const [now, title] of [
      [199, 'now'],
      [100, 'now'],
      [200, 'later'],
      [1_000, 'later'],
      [99, 'before'],
      [49, 'long before'],
    ] as const) {
      rows.set('a', { position: 1n, title, turns: [200, 100, 50] });
      expect([now, await page(['a'], { now })]).toEqual([now, title]);
    }
  });

  it('are not remembered if they may be older than their row', async () => {
    rows.set('a', { position: 1n, title: 'behind', isCertain: false });
    await page(['a']);
    rows.set('a', { position: 1n, title: 'there' });
    expect([await page(['a']), await page(['a']), reads]).toEqual(['there', 'there', []]);
  });

  it('are forgotten all at once when a view changes that they show besides, and also those that are being made', async () => {
    rows.set('a', { position: 1n, title: 'old' });
    rows.set('b', { position: 1n, title: 'old' });
    await page(['a']);
    const gate = Promise.withResolvers<ReadItem<number>>();
    const making = items.of(askedFor(['b'], { read: () => gate.promise }));
    changes.tell(['regions']);
    gate.resolve({ size: 1, turns: [], show: () => ({ title: 'old' }) });
    expect((await making).items.map(String)).toEqual(['{"title":"old"}']);
    for (const key of ['a', 'b']) rows.set(key, { position: 1n, title: 'new' });
    expect(await page(['a', 'b'])).toBe('new new');
  });

  it('leave out a row that is gone', async () => {
    rows.set('a', { position: 1n, title: 'A' });
    expect(await page(['gone', 'a', 'gone'])).toBe('A');
    expect(await page(['gone', 'a'])).toBe('A');
  });

  it('A10: refuse a page that counts too much before they show any, remembered ones first', async () => {
    for (const key of ['a', 'b', 'c']) rows.set(key, { position: 1n, title: 'xx' });
    await page(['b']);
    const counted: string[] = [];
    let left = 4;
    const take = (size: number): void => {
      counted.push(`${reads.length} read`);
      left -= size;
      if (left < 0) throw new Error('too large');
    };
    await expect(page(['a', 'b', 'c'], { take })).rejects.toThrow('too large');
    expect(counted).toEqual(['0 read', '2 read', '2 read']);
    left = 10;
    await expect(
      page(['a', 'b', 'c'], {
        take,
        taken: () => {
          throw new Error(`${left} left`);
        },
      }),
    ).rejects.toThrow('4 left');
    // Nothing that was refused was shown or remembered.
    await page(['a', 'b', 'c']);
    expect(reads).toEqual(['a', 'c']);
  });

  it('let others have their turn while many are made', async () => {
    let now = 0;
    let turns = 0;
    const time = { monotonic: () => (now += 1), turn: async () => void (turns += 1) };
    items = itemsWith(time);
    const keys = Array.from({ length: 200 }, (_, n) => `k${n}`);
    for (const key of keys) rows.set(key, { position: 1n, title: key });
    expect(await page(keys)).toBe(keys.join(' '));
    expect(turns).toBeGreaterThan(200 / 6 - 5);
    turns = 0;
    expect(await page(keys)).toBe(keys.join(' '));
    expect(turns).toBe(0);
  });

  it('take no more memory than allowed, and those that are asked for stay', async () => {
    const title = 'x'.repeat(10_000);
    for (let n = 0; n < 300; n += 1) rows.set(`k${n}`, { position: 1n, title });
    for (let n = 0; n < 300; n += 1) await page(['k0', `k${n}`]);
    expect([(await page(['k0'])) === title, reads]).toEqual([true, []]);
    let kept = 0;
    for (let n = 299; n > 0; n -= 1) {
      await page([`k${n}`]);
      if (reads.length > 0) break;
      kept += 1;
    }
    expect(kept).toBeGreaterThan(90);
    expect(kept).toBeLessThan(200);
  });

  it('of a page are right until the first of them changes by the clock; with an uncertain or missing one, at no time', async () => {
    rows.set('a', { position: 1n, title: 'a', turns: [50, 300] });
    rows.set('b', { position: 1n, title: 'b', turns: [20, 200] });
    const spanOf = async (...keys: readonly string[]): Promise<readonly Instant[]> => {
      const { from, until } = await items.of(askedFor(keys));
      return [from, until];
    };
    // First read, and then remembered.
    expect([await spanOf('a', 'b'), await spanOf('a', 'b')]).toEqual([
      [50, 200],
      [50, 200],
    ]);
    rows.set('c', { position: 1n, title: 'c', isCertain: false });
    expect(await spanOf('a', 'c')).toEqual([100, 100]);
    const [from, until] = await spanOf('a', 'gone');
    expect(until).toBeLessThanOrEqual(100);
    expect(from).toBeLessThanOrEqual(100);
  });

  it('are forgotten when another generation of any of their views is live, and not when the rows or what goes along change', async () => {
    const views = ['rows', 'bodies', 'regions'];
    changes.live(views.map((view) => ({ view, generation: 1 })));
    rows.set('a', { position: 1n, title: 'A' });
    await page(['a']);
    changes.tell(['rows', 'bodies']);
    expect([await page(['a']), reads]).toEqual(['A', []]);
    for (const view of views) {
      changes.live([{ view, generation: 2 }]);
      expect([view, await page(['a']), reads]).toEqual([view, 'A', ['a']]);
    }
  });

  it('do not read a row again that was read already', async () => {
    const row = { position: 1n, title: 'A' };
    expect([await page(['a'], { rows: [{ key: 'a', position: 1n, row }] }), reads]).toEqual(['A', []]);
  });

  it('are made with the views that they declare, and the compiler knows no other', async () => {
    rows.set('a', { position: 1n, title: 'A' });
    const read: Asked['read'] = async ({ key }, shown) => {
      const title = [await shown.bodies.find(key), await shown.regions.find(key)].join();
      // @ts-expect-error: to show a partner, the items must declare the view of partners
      expect(shown.partners).toBe(undefined);
      return { size: 1, turns: [], show: () => ({ title }) };
    };
    expect(await page(['a'], { read })).toBe('a in bodies,a in regions');
  });
});
