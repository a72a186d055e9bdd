import { beforeEach, describe, expect, it } from '@jest/globals';
import { RowVersions, ViewChanges } from '#eventsourcing';
import type { View } from '#kernel';
import { VersionPages } from './version-pages.js';

describe('the pages of a list, remembered by the versions of their rows', () => {
  const ONE = RowVersions.of([
    { key: 'a', position: 1n },
    { key: 'b', position: 2n },
  ]);
  const SHOWS = { rows: { name: 'coupons' } as View, along: {}, besides: {} };
  let changes: ViewChanges;
  let pages: VersionPages;
  let made: number;

  beforeEach(() => {
    changes = new ViewChanges();
    pages = new VersionPages(changes, SHOWS, 10_000);
    made = 0;
  });

  const page = async (versions = ONE, now = 10, { from, until } = { from: 0, until: 20 }): Promise<string> => {
    const json = await pages.page(versions, now, async () => ({ json: Buffer.from(`${(made += 1)}`), from, until }));
    return json.toString();
  };

  it('are made once, as long as the rows stay the same, whatever else the view has', async () => {
    expect(await page()).toBe('1');
    changes.tell(['coupons']);
    expect(await page(RowVersions.of(ONE.rows))).toBe('1');
  });

  // A small buffer is a part of a larger one, which would be kept with it.
  it('are remembered with their memory for themselves', async () => {
    const small = Buffer.concat([Buffer.from('1'), Buffer.from('2')]);
    expect(small.buffer.byteLength).toBeGreaterThan(small.length);
    const make = async () => ({ json: small, from: 0, until: 20 });
    await pages.page(ONE, 10, make);
    const kept = await pages.page(ONE, 10, make);
    expect([kept.toString(), kept.buffer.byteLength]).toEqual(['12', 2]);
  });

  it.each([
    ['a row changes', [{ key: 'a', position: 3n }, ...ONE.rows.slice(1)]],
    ['another row takes a place', [{ key: 'c', position: 1n }, ...ONE.rows.slice(1)]],
    ['the order changes', ONE.rows.toReversed()],
    ['a row is gone', ONE.rows.slice(1)],
  ])('are made again when %s', async (_, rows) => {
    await page();
    expect(await page(RowVersions.of(rows))).toBe('2');
  });

  it('are made again when another generation of the view is live', async () => {
    await page();
    changes.live([{ view: 'purchases', generation: 2 }]);
    expect(await page()).toBe('1');
    changes.live([{ view: 'coupons', generation: 2 }]);
    expect(await page()).toBe('2');
  });

  it('are made again when the clock has passed the end of their time, and when it is before its beginning', async () => {
    await page();
    expect([await page(ONE, 19), await page(ONE, 20, { from: 20, until: 30 }), await page(ONE, 19)]).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it('are not remembered if they are right at no time, or the view was replaced while they were made', async () => {
    await page(ONE, 10, { from: 10, until: 10 });
    expect(await page(ONE, 10, { from: 10, until: 10 })).toBe('2');
    await pages.page(ONE, 10, async () => {
      changes.live([{ view: 'coupons', generation: 3 }]);
      return { json: Buffer.from('old'), from: 0, until: 20 };
    });
    expect(await page()).toBe('3');
  });

  it('are few: the least asked for are forgotten', async () => {
    for (let nth = 0; nth < 1_000; nth += 1) await page(RowVersions.of([{ key: `key-${nth}`, position: 1n }]));
    await page(RowVersions.of([{ key: 'key-999', position: 1n }]));
    expect(made).toBe(1_000);
    await page(RowVersions.of([{ key: 'key-0', position: 1n }]));
    expect(made).toBe(1_001);
  });

  it('are only for items that show nothing but their rows', () => {
    const regions = { view: { name: 'regions' }, find: () => Promise.resolve(undefined) };
    // @ts-expect-error: a page would not be made again when a region changes
    const more = (): VersionPages => new VersionPages(changes, { ...SHOWS, besides: { regions } }, 10_000);
    // @ts-expect-error: nor may the items read a view along with their rows
    const along = (): VersionPages => new VersionPages(changes, { ...SHOWS, along: { regions } }, 10_000);
    expect([more(), along()]).toEqual([expect.any(VersionPages), expect.any(VersionPages)]);
  });
});
