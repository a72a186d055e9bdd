import { describe, expect, it } from '@jest/globals';
import { MINUTE } from '#kernel';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import { HOLD, START, closeResaleOf, placeOf, resaleOf, returnOf, terms } from '../../../test/support/sale.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';
import type { SaleTerms } from './sale-terms.js';

/** The events of commands on a deal with these units, all at START. */
function after(
  stock: number,
  commands: readonly InventoryCommand[],
  changes: Partial<SaleTerms> = {},
): InventoryEvent[] {
  const all: readonly InventoryCommand[] = [
    { type: 'set-terms', terms: terms(changes) },
    { type: 'set-stock', looked: Infinity, units: stock, change_id: 'c' },
    ...commands,
  ];
  const events: InventoryEvent[] = [];
  for (const command of all)
    events.push(...inventory.decide(command, stateOf(inventory, events), START, events.length));
  return events;
}
const codes: InventoryCommand = { type: 'add-codes', codes: ['a', 'b', 'c'], seen: 0 };

describe('D11: the inventory, while a reseller’s purchase decides', () => {
  it('holds the units without a deadline, with everything that the purchase needs', () => {
    given(inventory, after(5, [codes]))
      .when(resaleOf('s1', 'p1', 2), START + 7)
      .then([
        {
          type: 'resale-started.v1',
          data: {
            resale_id: 's1',
            number: 0,
            purchase_id: 'p1',
            partner_id: 'acme',
            quantity: 2,
            price: 1_999,
            deal: terms().deal,
            coupons: [
              { id: 'p1-c0', barcode: '000000000000', unit: 0, code: { revision: 2, index: 0 } },
              { id: 'p1-c1', barcode: '000000000001', unit: 1, code: { revision: 2, index: 1 } },
            ],
            expires_at: terms().expires_at,
            expiration_days: null,
            takeover_at: START + 7 + MINUTE,
            stock: 5,
            held: 2,
            sold: 0,
            codes_left: 3,
          },
        },
      ]);
    given(inventory, after(2, [resaleOf('s1', 'p1', 2)]))
      .when(placeOf('r1'), START + 10 * HOLD)
      .then('cannot_fulfill');
  });

  it('D10: sells them with their codes, or frees both', () => {
    const open = after(5, [codes, resaleOf('s1', 'p1', 2)]);
    const of = { resale_id: 's1', number: 0, purchase_id: 'p1', quantity: 2, stock: 5, held: 0 };
    given(inventory, open)
      .when(closeResaleOf('s1', 'p1', true), START)
      .then([{ type: 'resale-sold.v1', data: { ...of, sold: 2, codes_left: 1 } }]);
    const undone = given(inventory, open).when(closeResaleOf('s1', 'p1', false), START);
    undone.then([{ type: 'resale-undone.v1', data: { ...of, sold: 0, codes_left: 3 } }]);
    expect(undone.state.codes?.left.toArray()).toEqual([{ revision: 2, index: 0, count: 3 }]);
  });

  it.each([
    ['open', []],
    ['sold', [closeResaleOf('s1', 'p1', true)]],
    ['undone', [closeResaleOf('s1', 'p1', false)]],
  ] as const)('starts nothing again that is %s', (_, closed) => {
    given(inventory, after(5, [resaleOf('s1', 'p1', 2), ...closed]))
      .when(resaleOf('s1', 'p1', 2), START)
      .then([]);
  });

  it('closes a resale once, and none that it does not know', () => {
    const closed = after(5, [resaleOf('s1', 'p1', 2), closeResaleOf('s1', 'p1', true)]);
    given(inventory, closed)
      .when(closeResaleOf('s1', 'p1', false), START)
      .then([]);
    given(inventory, closed)
      .when(closeResaleOf('s2', 'p2', false), START)
      .then([]);
  });

  it.each([
    ['no unit', 0, {}],
    ['more than are left', 3, {}],
    ['more than max_per_user', 2, { max_per_user: 1 }],
    ['units of a deal that is not on sale', 1, { on_sale: false }],
    ['units of a deal that has ended', 1, { end_at: START }],
    ['units of a deal that starts later', 1, { start_at: START + 1 }],
  ] as const)('D1: refuses %s', (_, quantity, changes) => {
    given(inventory, after(2, [], changes))
      .when(resaleOf('s1', 'p1', quantity), START)
      .then('cannot_fulfill');
  });

  it('D1: takes the units of holds that ran out, which it expires first', () => {
    const events = after(2, [placeOf('r1', 2)]);
    expect(given(inventory, events).when(resaleOf('s1', 'p1'), START + HOLD - 1).outcome).toBe('cannot_fulfill');
    const taken = given(inventory, events).when(resaleOf('s1', 'p1'), START + HOLD);
    expect(taken.outcome).toMatchObject([{ type: 'hold-expired.v1' }, { type: 'resale-started.v1' }]);
  });

  it('D12: the unit of a coupon without a user returns, once', () => {
    const sold = after(2, [resaleOf('s1', 'p1', 2), closeResaleOf('s1', 'p1', true)]);
    const returned = given(inventory, sold).when(returnOf('p1', null, 0), START);
    returned.then([
      {
        type: 'unit-returned.v1',
        data: {
          coupon_id: 'p1-c0',
          unit: 0,
          purchase_id: 'p1',
          user_id: null,
          stock: 2,
          held: 0,
          sold: 1,
          codes_left: null,
        },
      },
    ]);
    expect(inventory.decide(returnOf('p1', null, 0), returned.state, START)).toEqual([]);
  });
});
