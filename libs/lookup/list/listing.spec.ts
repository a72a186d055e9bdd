import { describe, expect, it } from '@jest/globals';
import type { Keyring } from '#eventsourcing';
import { COUPONS } from '../lists/coupons.list.js';
import { LISTS } from '../lists/index.js';
import { PURCHASES, RESERVATIONS } from '../lists/purchases.list.js';
import { isIndexed, type LookUpList } from './list.js';
import { type Asked, searchOf } from './listing.js';

const keyring = { hash: (_: string, text: string) => `id of ${text}` } as unknown as Keyring;
const ID = '0'.repeat(32);

/** The fields that an index answers, and how many other conditions are tested row by row. */
function ledBy(list: LookUpList, asked: Partial<Asked>): string {
  const { where, fits } = searchOf(list, asked as Asked, keyring, 0);
  const fields = where.map((each) => ('field' in each ? each.field : each.op)).join(' ');
  return `${fields}${fits === undefined ? '' : ', and tests'}`;
}

describe('G5.1: the index that a list reads', () => {
  it.each<[LookUpList, Partial<Asked>, string]>([
    [PURCHASES, {}, ''],
    [PURCHASES, { partner: 'acme' }, 'partner_id'],
    [PURCHASES, { deal_id: 'spa', partner: 'acme' }, 'deal_id, and tests'],
    [PURCHASES, { user_id: ID, deal_id: 'spa' }, 'user_id, and tests'],
    [PURCHASES, { reference: 'r', user_id: ID }, 'reference, and tests'],
    // Few purchases are open or refunded, and most are fulfilled.
    [PURCHASES, { state: 'pending', partner: 'acme' }, 'state, and tests'],
    [PURCHASES, { state: 'fulfilled', partner: 'acme' }, 'partner_id, and tests'],
    [PURCHASES, { state: 'fulfilled' }, 'state'],
    [PURCHASES, { min_amount: 1 }, ', and tests'],
    [RESERVATIONS, { partner: 'acme' }, 'state, and tests'],
    [COUPONS, { barcode: '123456789012', partner: 'acme' }, 'barcode, and tests'],
    [COUPONS, { state: 'redeemed' }, ', and tests'],
  ])('%#', (list, asked, expected) => {
    expect(ledBy(list, asked)).toBe(expected);
  });

  it('names a partner by slug or id', () => {
    const valueOf = (partner: string): unknown =>
      (searchOf(PURCHASES, { partner } as unknown as Asked, keyring, 0).where[0] as { readonly value: unknown }).value;
    expect([valueOf('acme'), valueOf(ID)]).toEqual(['id of acme', ID]);
  });

  // Without one, a list would look at every row of its view.
  it.each(LISTS.map((list): [string, LookUpList] => [list.name, list]))('has the order of all %s', (_, list) => {
    const { view, sort, only } = list;
    const alone = view.orders.some(({ by }) => by.length === 1 && JSON.stringify(by[0]).includes(sort.field));
    expect(only === undefined ? alone : isIndexed(list, only.field)).toBe(true);
  });

  // A filter without an index and without a test would have no effect.
  it.each(LISTS.map((list): [string, LookUpList] => [list.name, list]))(
    'each filter of %s has an effect',
    (_, list) => {
      for (const [name, { field, fits, held }] of Object.entries(list.filters)) {
        expect([name, field !== undefined || fits !== undefined]).toEqual([name, true]);
        // `find` looks for it in all rows.
        if (held !== undefined) expect([name, field !== undefined && isIndexed(list, field)]).toEqual([name, true]);
      }
    },
  );
});
