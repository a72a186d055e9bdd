import { describe, expect, it } from '@jest/globals';
import type { View } from '#kernel';
import { ViewCache, RowCache } from './view-cache.js';
import { ViewChanges } from './view-changes.js';

describe('a cached value of a view', () => {
  function opened(): {
    changes: ViewChanges;
    find: (key: string) => Promise<string | undefined>;
    there: Map<string, string>;
  } {
    const changes = new ViewChanges();
    const there = new Map<string, string>();
    const cache = new ViewCache<string>(changes, { name: 'deals' }, 10);
    return { changes, there, find: (key) => cache.find(key, () => Promise.resolve(there.get(key))) };
  }

  it('stays until a row of that view changes, and of no other', async () => {
    const { changes, there, find } = opened();
    expect(await find('spa')).toBeUndefined();
    there.set('spa', 'old');
    expect(await find('spa')).toBe('old');
    there.set('spa', 'new');
    changes.tell(['coupons']);
    expect(await find('spa')).toBe('old');
    changes.tell(['coupons', 'deals']);
    expect(await find('spa')).toBe('new');
  });

  it('is dropped from every cache of the view', async () => {
    const changes = new ViewChanges();
    const [one, two] = [new ViewCache(changes, { name: 'deals' }, 1), new ViewCache(changes, { name: 'deals' }, 1)];
    let value = 'old';
    const find = async (): Promise<unknown[]> =>
      Promise.all([one, two].map((cache) => cache.find('spa', () => Promise.resolve(value))));
    await find();
    value = 'new';
    changes.tell(['deals']);
    expect(await find()).toEqual(['new', 'new']);
  });

  it('is looked up once for all who ask at the same time, and again after a failure', async () => {
    const cache = new ViewCache<string>(new ViewChanges(), { name: 'deals' }, 10);
    const gate = Promise.withResolvers<string>();
    let looks = 0;
    const find = (): Promise<string | undefined> =>
      cache.find('spa', () => {
        looks += 1;
        return gate.promise;
      });
    const asked = Promise.allSettled([find(), find()]);
    gate.reject(new Error('the view is being built'));
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(looks).toBe(1);
    expect(await cache.find('spa', () => Promise.resolve('there'))).toBe('there');
  });

  it('is not one that was being looked up while the view changed', async () => {
    const { changes, there, find } = opened();
    there.set('spa', 'old');
    const underWay = find('spa');
    there.set('spa', 'new');
    changes.tell(['deals']);
    expect([await underWay, await find('spa')]).toEqual(['old', 'new']);
  });
});

describe('rows that are remembered by their keys', () => {
  it('are read once, until one of their view changes; absence is read each time', async () => {
    const changes = new ViewChanges();
    const view = { name: 'deals' } as View<{ readonly title: string }>;
    const reads: string[] = [];
    const rows = new Map([['spa', { title: 'Spa' }]]);
    const get = async (key: string): Promise<unknown> => {
      reads.push(key);
      const row = rows.get(key);
      return row && { key, row, position: 1n };
    };
    const cache = new RowCache({ of: () => ({ get }) as never }, changes, view, 10);
    expect([await cache.find('spa'), await cache.find('spa')]).toEqual([{ title: 'Spa' }, { title: 'Spa' }]);
    expect([await cache.find('gym'), await cache.find('gym')]).toEqual([undefined, undefined]);
    rows.set('spa', { title: 'Sauna' });
    changes.tell(['deals']);
    expect(await cache.find('spa')).toEqual({ title: 'Sauna' });
    expect(reads).toEqual(['spa', 'gym', 'gym', 'spa']);
  });
});

describe('whoever knows the version of what they remember', () => {
  it('is notified when another generation of the view is live, and of no other change', () => {
    const changes = new ViewChanges();
    const told: string[] = [];
    changes.whenReplaced({ name: 'deals' }, () => told.push('one'));
    changes.whenReplaced({ name: 'deals' }, () => told.push('two'));
    const live = (generation: number | null): readonly string[] => {
      told.length = 0;
      changes.live([
        { view: 'coupons', generation: 9 },
        { view: 'deals', generation },
      ]);
      return [...told];
    };
    expect(live(1)).toEqual(['one', 'two']);
    expect(live(1)).toEqual([]);
    changes.tell(['deals', 'coupons']);
    expect(told).toEqual([]);
    expect(live(2)).toEqual(['one', 'two']);
    expect(live(1)).toEqual(['one', 'two']);
    expect(live(null)).toEqual(['one', 'two']);
    expect(live(null)).toEqual([]);
  });
});
