import { describe, expect, it } from '@jest/globals';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { Reader } from './reader.js';
import { DomainError, type View } from '#kernel';
import type { StoredRow } from '../ports/view-store.js';
import { listTooCostly } from '../ports/examined-rows.js';
import { everything, type Query, type Where } from '../ports/query.js';
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

describe('A5.1: a list with a bound', () => {
  const view = { name: 'things' } as View;
  const bound = { examine: 7, narrowedBy: 'from and to' };
  const asked = (count: boolean) => ({ paging: { count, page: 1, perPage: 5 }, since: 0n });
  const readerOf = (read: (examine: number | undefined) => never): Reader => {
    const find = async ({ examine }: Query): Promise<never> => read(examine);
    const count = async (_: Where, examine?: number): Promise<never> => read(examine);
    const freshness = { until: () => Promise.resolve() };
    return new Reader({ views: { reader: () => ({ find, versions: find, count }) }, freshness } as never);
  };

  it.each([true, false])('names what narrows it if it looks at too much (counted: %s)', async (count) => {
    const examined: (number | undefined)[] = [];
    const reader = readerOf((examine) => {
      examined.push(examine);
      throw listTooCostly('more than 7 rows');
    });
    const message = 'the list costs too much: narrow it with from and to, or ask for an earlier page';
    for (const read of ['list', 'versions'] as const)
      await expect(reader[read](view, everything, asked(count), [], bound)).rejects.toMatchObject({
        code: 'list_too_costly',
        message,
      });
    expect(examined).toEqual([7, 7]);
  });

  it('passes other refusals on', async () => {
    const refusal = new DomainError('page_too_large', 'the page is too large');
    const reader = readerOf(() => {
      throw refusal;
    });
    await expect(reader.list(view, everything, asked(false), [], bound)).rejects.toBe(refusal);
  });
});
