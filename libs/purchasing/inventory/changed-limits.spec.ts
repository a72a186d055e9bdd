import { describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import {
  HOLD,
  START,
  checkoutOf,
  claimOf,
  closeOf,
  closeResaleOf,
  placeOf,
  resaleOf,
  terms,
} from '../../../test/support/sale.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';
import type { SaleTerms } from './sale-terms.js';

let revision = 0;
const set = (changes: Partial<SaleTerms> = {}): InventoryCommand => ({
  type: 'set-terms',
  terms: terms({ deal_revision: (revision += 1), ...changes }),
});
const most = (max_per_user: number | null): InventoryCommand => set({ max_per_user });

/** The events of these commands, each at START. */
function after(...commands: readonly InventoryCommand[]): InventoryEvent[] {
  return commands.reduce<InventoryEvent[]>(
    (events, command) => [...events, ...inventory.decide(command, stateOf(inventory, events), START, events.length)],
    [],
  );
}
const outcome = (events: InventoryEvent[], command: InventoryCommand, now = START): unknown => {
  const decided = given(inventory, events).when(command, now).outcome;
  return typeof decided === 'string' ? decided : decided.map(({ type }) => type.slice(0, -3));
};

describe('I4: a living hold is claimed under the larger of the maximum of its moment and the present one', () => {
  it.each<readonly [was: number | null, is: number | null, quantity: number, bought: number, allowed: boolean]>([
    [2, 1, 2, 0, true],
    [2, 0, 2, 0, true],
    [null, 1, 9, 0, true],
    [2, null, 2, 9, true],
    [2, 4, 2, 2, true],
    // What the user has bought meanwhile counts.
    [2, 1, 2, 1, false],
    [4, 1, 2, 2, true],
    [4, 1, 2, 3, false],
    [2, 4, 2, 3, false],
  ])('placed at %s, now %s: %d units for somebody with %d: %s', (was, is, quantity, bought, allowed) => {
    const before = bought === 0 ? [] : [most(null), placeOf('r0', bought), claimOf('r0', 'ann', bought)];
    const events = after(...before, most(was), placeOf('r1', quantity), most(is));
    expect(outcome(events, claimOf('r1', 'ann', quantity, before.length > 0 ? 1 : 0))).toEqual(
      allowed ? ['hold-claimed'] : 'cannot_fulfill',
    );
  });

  it('one that ran out, or was released, relies on the present one alone', () => {
    const events = after(most(2), placeOf('r1', 2), most(1));
    expect(outcome(events, claimOf('r1', 'ann', 2), START + HOLD)).toBe('cannot_fulfill');
    const released = [
      ...events,
      ...inventory.decide({ type: 'release', number: 0, reservation_id: 'r1' }, stateOf(inventory, events), START),
    ];
    expect(outcome(released, claimOf('r1', 'ann', 2))).toBe('cannot_fulfill');
  });
});

// What has begun is finished under the terms of its beginning, because somebody has paid or promised for it.
describe('D3 D7 D11: what changes while units are held', () => {
  const changes: readonly (readonly [string, InventoryCommand])[] = [
    ['a lower maximum', most(1)],
    ['another price', set({ price: 1 })],
    ['the end of the deal', set({ on_sale: false })],
    ['a window that is over', set({ end_at: START })],
    ['an earlier expiry', set({ expires_at: START + 1 })],
  ];

  it.each(changes)('a hold is claimed at its price, whatever comes: %s', (_, change) => {
    const events = after(set({ max_per_user: 2 }), placeOf('r1', 2), change);
    const { outcome: decided } = given(inventory, events).when(claimOf('r1', 'ann', 2), START + HOLD - 1);
    expect(decided).toMatchObject([{ type: 'hold-claimed.v1', data: { price: 1_999, quantity: 2 } }]);
  });

  it.each(changes)('an open checkout is sold, whatever comes: %s', (_, change) => {
    const events = after(set({ max_per_user: 2 }), checkoutOf('p1', 'ann', 2), change);
    expect(outcome(events, closeOf('p1', true), START + DAY)).toEqual(['checkout-sold']);
  });

  it.each(changes)('a resale is sold, whatever comes: %s', (_, change) => {
    const events = after(set({ max_per_user: 2 }), resaleOf('s1', 'p1', 2), change);
    expect(outcome(events, closeResaleOf('s1', 'p1', true), START + DAY)).toEqual(['resale-sold']);
    const [started] = events.filter(({ type }) => type === 'resale-started.v1');
    expect(started?.data).toMatchObject({ price: 1_999, expires_at: terms().expires_at });
  });

  it.each([
    ['a hold', placeOf('r1', 2)],
    ['a checkout', checkoutOf('p1', 'ann', 2)],
    ['a resale', resaleOf('s1', 'p1', 2)],
  ])('the stock is never set below what %s has', (_, command) => {
    const events = after(set(), { type: 'set-stock', looked: Infinity, units: 5, change_id: 'a' }, command);
    expect(outcome(events, { type: 'set-stock', looked: Infinity, units: 1, change_id: 'b' })).toBe('stock_below_sold');
    expect(outcome(events, { type: 'set-stock', looked: Infinity, units: 2, change_id: 'b' })).toEqual(['stock-set']);
  });

  it('a pool that comes while units are held gives them its codes at the sale, as far as they go', () => {
    const events = after(set(), placeOf('r1', 2), { type: 'add-codes', codes: ['x'], seen: 0 });
    const { outcome: decided } = given(inventory, events).when(claimOf('r1', 'ann', 2), START);
    expect(decided).toMatchObject([
      { data: { coupons: [{ code: { revision: 2, index: 0 } }, { code: null }], codes_left: 0 } },
    ]);
  });
});
