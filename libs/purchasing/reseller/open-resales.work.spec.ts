import { expect, it } from '@jest/globals';
import { rowsOf } from '../../../test/support/given-when-then.js';
import { terms } from '../../../test/support/sale.js';
import type { InventoryEvent } from '../inventory/inventory.events.js';
import { openResales } from './open-resales.work.js';

const names = { resale_id: 'r1', number: 0, purchase_id: 'p1' };
const { deal, price, expires_at, expiration_days } = terms();
const started: InventoryEvent = {
  type: 'resale-started.v1',
  data: {
    ...{ ...names, partner_id: 'acme', quantity: 2, coupons: [], takeover_at: 70 },
    ...{ deal, price, expires_at, expiration_days, stock: 5, held: 2, sold: 0, codes_left: null },
  },
};
const closed = (type: 'resale-sold.v1' | 'resale-undone.v1'): InventoryEvent => ({
  type,
  data: { ...names, quantity: 2, codes_left: null, stock: 5, held: 0, sold: type === 'resale-sold.v1' ? 2 : 0 },
});

it.each<readonly [words: string, events: readonly InventoryEvent[], rows: object]>([
  ['is due a minute after its start', [started], { r1: { purchase_id: 'p1', deal_id: 'spa', due_at: 70 } }],
  ['is done once it is sold', [started, closed('resale-sold.v1')], {}],
  ['is done once it is undone', [started, closed('resale-undone.v1')], {}],
])('D11: an open resale %s', async (_, events, rows) => {
  expect(
    await rowsOf(
      openResales.view,
      events.map((event) => ({ ...event, stream: 'inventory-spa' })),
    ),
  ).toEqual(rows);
});
