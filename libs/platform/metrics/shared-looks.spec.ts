import { describe, expect, it } from '@jest/globals';
import { dealListingView, unitsOver } from '#catalogue/model';
import type { Clock, ViewReaders } from '#eventsourcing';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { Look } from './look.js';
import { SharedLooks } from './shared-looks.js';

const units = (stock: number | null, held: number, sold: number) => ({ stock, held, sold, codes_left: null });

describe('G11.1: units that are oversold', () => {
  it.each([
    [units(10, 4, 6), 0],
    [units(10, 5, 6), 1],
    [units(0, 0, 3), 3],
    [units(null, 9, 9), 0],
    [null, 0],
  ])('of %j are %i', (row, over) => {
    expect(unitsOver(row)).toBe(over);
    const field = dealListingView.fields.oversold;
    expect(field.of({ deal_id: 'lunch', deal: null, units: row })).toBe(over === 0 ? null : over);
  });

  it('are summed up over all deals', async () => {
    const rows = [units(10, 5, 6), units(1, 2, 1)].map((each) => ({ row: { units: each } }));
    const readers = { reader: () => ({ find: async () => rows }) } as unknown as ViewReaders;
    const time = new VirtualTime();
    const clock: Clock = { now: () => 0 };
    const looks = new SharedLooks(readers, { counts: async () => [] }, clock, time);
    expect(await looks.oversold.renewed()).toBe(3);
  });
});

describe('a look', () => {
  it('is made again only when it is due, and later if it took long', async () => {
    const time = new VirtualTime();
    let made = 0;
    const look = new Look(
      async () => {
        await time.pause(50);
        return (made += 1);
      },
      1_000,
      time,
    );
    expect(look.value).toBeNull();
    await time.pass(60);
    expect([look.value, made]).toEqual([1, 1]);
    await time.pass(3_000);
    expect([look.value, made]).toEqual([1, 1]);
    await time.pass(3_000);
    expect(look.value).toBe(1);
    await time.pass(60);
    expect([look.value, made]).toEqual([2, 2]);
  });

  it('that fails leaves the value unknown', async () => {
    const look = new Look(() => Promise.reject(new Error('away')), 1_000, new VirtualTime());
    expect(await look.renewed()).toBeNull();
  });
});
