import { describe, expect, it } from '@jest/globals';
import type { Engine } from '#eventsourcing';
import { Regions } from './regions.js';

describe('G3: regions by slug', () => {
  it('are remembered until one changes; absence never, nor a look-up that was under way then', async () => {
    let found: object | undefined;
    let reading: Promise<unknown> = Promise.resolve();
    const reader = {
      get: async () => {
        const row = found;
        await reading;
        return row === undefined ? undefined : { row };
      },
    };
    const regions = new Regions({ views: { reader: () => reader } } as unknown as Engine);
    expect(await regions.find('boston')).toBeUndefined();
    found = { name: 'Old' };
    expect(await regions.find('boston')).toEqual({ name: 'Old' });
    found = { name: 'New' };
    expect(await regions.find('boston')).toEqual({ name: 'Old' });
    const gate = Promise.withResolvers<undefined>();
    regions.forget();
    [found, reading] = [{ name: 'Old' }, gate.promise];
    const underWay = regions.find('boston');
    found = { name: 'New' };
    regions.forget();
    gate.resolve(undefined);
    await underWay;
    expect(await regions.find('boston')).toEqual({ name: 'New' });
  });
});
