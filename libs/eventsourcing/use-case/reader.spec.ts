import { describe, expect, it } from '@jest/globals';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { Reader } from './reader.js';
import type { View } from '#kernel';
import type { StoredRow } from '../ports/view-store.js';
import { everything, type Query } from '../ports/query.js';
import { Slices } from '../scheduling/slices.js';

describe('I17: all rows of a condition', () => {
  const rows = Array.from({ length: 2_500 }, (_, nth): StoredRow => ({ key: `k${nth}`, position: 1n, row: { nth } }));

  it('are read page by page, and others have their turn after each slice', async () => {
    const events: string[] = [];
    let now = 0;
    const reader = {
      find: async ({ page, perPage }: Query) => {
        events.push(`page ${page}`);
        now += 10;
        return rows.slice((page - 1) * perPage, page * perPage);
      },
    };
    const view = { name: 'things' } as View;
    const turn = async (): Promise<void> => void events.push('turn');
    const slices = new Slices(Object.assign(new VirtualTime(), { monotonic: () => now, turn }));
    expect(await new Reader({ views: { reader: () => reader } } as never).all(view, everything, [], slices)).toEqual(
      rows.map(({ row }) => row),
    );
    expect(events).toEqual(['page 1', 'turn', 'page 2', 'turn', 'page 3']);
  });
});
