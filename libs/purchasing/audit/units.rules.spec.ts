import { describe, expect, it } from '@jest/globals';
import type { EventBody, Recorded } from '#kernel';
import {
  START,
  checkoutOf,
  claimOf,
  closeOf,
  placeOf,
  releaseOf,
  returnOf,
  terms,
} from '../../../test/support/sale.js';
import { inventory, type InventoryCommand } from '../inventory/inventory.decider.js';
import type { InventoryEvent } from '../inventory/inventory.events.js';
import { unitsRules } from './units.rules.js';

/** The events of a sale of everything: a hold that is claimed, one that is released, a checkout, a returned unit. */
function soldEvents(): readonly InventoryEvent[] {
  const commands: readonly InventoryCommand[] = [
    { type: 'set-terms', terms: terms({ max_per_user: 3 }) },
    { type: 'set-stock', units: 9, change_id: 'stock', looked: Infinity },
    { type: 'add-codes', codes: ['A', 'B', 'C', 'D', 'E'], seen: 0 },
    placeOf('r0', 2),
    claimOf('r0', 'ann', 2),
    placeOf('r1'),
    releaseOf('r1', 1),
    checkoutOf('c0', 'bob'),
    closeOf('c0', true),
    checkoutOf('c1', 'cid'),
    closeOf('c1', false),
    returnOf('r0', 'ann', 0),
  ];
  let state = inventory.initialState;
  return commands.reduce<readonly InventoryEvent[]>((events, command) => {
    const more = inventory.decide(command, state, START, events.length);
    for (const event of more) state = inventory.evolve(state, event);
    return [...events, ...more];
  }, []);
}

/** What is wrong with events, each by its place. */
function wrongIn(events: readonly EventBody[]): readonly string[] {
  const checker = unitsRules.begin();
  let state: unknown = inventory.initialState;
  return events.flatMap((body, revision) => {
    const event = { ...body, revision, metadata: { time: START } } as Recorded;
    const wrong = checker.check(state, event).map((words) => `${revision}: ${words}`);
    state = inventory.evolve(state as never, event as never);
    return wrong;
  });
}

/** The same events, one with other data. */
const changed = (at: number, change: object): readonly EventBody[] =>
  soldEvents().map((event, each) => (each === at ? { ...event, data: { ...event.data, ...change } } : event));

describe('D1: the arithmetic of a deal', () => {
  it('finds nothing wrong with what the decider has decided', () => {
    expect(soldEvents()).toHaveLength(12);
    expect(wrongIn(soldEvents())).toEqual([]);
  });

  it.each<[string, number, object, string]>([
    ['a changed sold', 4, { sold: 1 }, '4: its sold is 1, and by the events before 2'],
    ['a changed held', 3, { held: 1 }, '3: its held is 1, and by the events before 2'],
    ['a changed price', 3, { price: 5 }, '3: its price is 5, and by the events before 1999'],
    ['another price than that of the hold', 4, { price: 5 }, '4: its price is 5, and by the events before 1999'],
    [
      'a code that was in the pool before',
      2,
      { codes: ['A', 'B', 'A', 'D', 'E'] },
      '2: 1 of its codes were in the pool before',
    ],
    ['a sale of other units', 4, { quantity: 1 }, '4: its quantity is 1, and by the events before 2'],
    ['more than the stock', 3, { stock: 1 }, '3: 2 held and 0 sold units are more than the stock of 1'],
    ['a unit that was not sold', 11, { unit: 9 }, '11: the unit was never sold'],
    ['a checkout of another', 8, { purchase_id: 'odd' }, '8: it ends a checkout that is not open'],
    ['a release of another', 6, { reservation_id: 'odd' }, '6: it ends a hold that is not open'],
    ['a hold with another number', 5, { number: 9 }, '5: its number is 9, and by the events before 1'],
    ['a longer hold', 5, { deadline: START }, '5: its deadline is not five minutes after its time'],
    ['held below 0', 6, { held: -1 }, '6: -1 units are held'],
  ])('finds %s', (_, at, change, expected) => {
    expect(wrongIn(changed(at, change))).toContain(expected);
  });

  it('finds a unit that is sold twice, a code that is given twice, and a coupon too many', () => {
    const { coupons } = soldEvents()[4]?.data as { readonly coupons: readonly object[] };
    const twice = coupons.map((coupon) => ({ ...coupon, unit: 0, code: { revision: 2, index: 0 } }));
    expect(wrongIn(changed(4, { coupons: twice }))).toEqual(
      expect.arrayContaining([
        '4: its coupons have other units than 0 and those after it: a unit is sold twice, or left out',
        '4: its coupons have other codes than the next ones of the pool',
      ]),
    );
    expect(wrongIn(changed(4, { coupons: [...coupons, coupons[0]] }))).toContain('4: it sells 2 units with 3 coupons');
  });

  it('I4: finds a user above their maximum', () => {
    const events = soldEvents().map((event) =>
      event.type === 'terms-set.v1' ? { ...event, data: { terms: terms({ max_per_user: 1 }) } } : event,
    );
    expect(wrongIn(events)).toContain('3: its maximum per user is not that of the terms');
    expect(wrongIn(changed(7, { user_id: 'ann', quantity: 2 }))).toContain(
      '7: its user has 4 units then, and may have 3',
    );
  });
});
