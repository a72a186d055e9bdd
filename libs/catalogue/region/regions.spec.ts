import { describe, expect, it } from '@jest/globals';
import { ViewChanges } from '#eventsourcing';
import { Regions } from './regions.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('G3, C4: regions', () => {
  const changes = new ViewChanges();

  it('are remembered by slug until one changes; an unknown slug and a look-up during a change never are', async () => {
    let found: object | undefined;
    let reading: Promise<unknown> = Promise.resolve();
    const reader = {
      get: async () => {
        const row = found;
        await reading;
        return row === undefined ? undefined : { row };
      },
    };
    const regions = new Regions(engineOf({ views: { reader: () => reader } }).reader, changes);
    expect(await regions.find('boston')).toBeUndefined();
    found = { name: 'Old' };
    expect(await regions.find('boston')).toEqual({ name: 'Old' });
    found = { name: 'New' };
    expect(await regions.find('boston')).toEqual({ name: 'Old' });
    const gate = Promise.withResolvers<undefined>();
    changes.tell(['regions']);
    [found, reading] = [{ name: 'Old' }, gate.promise];
    const underWay = regions.find('boston');
    found = { name: 'New' };
    changes.tell(['regions']);
    gate.resolve(undefined);
    await underWay;
    expect(await regions.find('boston')).toEqual({ name: 'New' });
  });

  it('are read page by page and remembered until one changes; a failed read is not remembered', async () => {
    let there = 2_000;
    let reads = 0;
    const reader = {
      find: async ({ page, perPage }: { readonly page: number; readonly perPage: number }) => {
        reads += 1;
        if (there === 0) throw new Error('the view is being built');
        const rest = Math.max(0, Math.min(perPage, there - (page - 1) * perPage));
        return Array.from({ length: rest }, (_, n) => ({ row: { id: `r-${(page - 1) * perPage + n}` } }));
      },
    };
    const regions = new Regions(engineOf({ views: { reader: () => reader } }).reader, changes);
    const ids = async (): Promise<string[]> => (await regions.all()).map(({ id }) => id);
    expect(new Set(await ids()).size).toBe(2_000);
    await ids();
    expect(reads).toBe(3);
    there = 0;
    changes.tell(['regions']);
    await expect(ids()).rejects.toThrow('the view is being built');
    there = 5;
    expect(await ids()).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4']);
  });

  it('a list read during a change is not remembered', async () => {
    const gate = Promise.withResolvers<undefined>();
    let name = 'Old';
    const reader = {
      find: async () => {
        const rows = [{ row: { name } }];
        await gate.promise;
        return rows;
      },
    };
    const regions = new Regions(engineOf({ views: { reader: () => reader } }).reader, changes);
    const underWay = regions.all();
    name = 'New';
    changes.tell(['regions']);
    gate.resolve(undefined);
    await underWay;
    expect(await regions.all()).toEqual([{ name: 'New' }]);
  });
});
