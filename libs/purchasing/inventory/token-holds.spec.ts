import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import { HOLD, START, checkoutOf, claimOf, placeOf, terms } from '../../../test/support/sale.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';
import type { SaleTerms } from './sale-terms.js';

const onSale = (changes: Partial<SaleTerms> = {}): InventoryCommand => ({ type: 'set-terms', terms: terms(changes) });
const setStock = (units: number): InventoryCommand => ({ type: 'set-stock', looked: Infinity, units, change_id: 'c' });
const release = (reservation_id: string): InventoryCommand => ({ type: 'release', number: 0, reservation_id });
const byAnn = (id: string, quantity = 1): InventoryCommand => placeOf(id, quantity, 'ann');
const claimByAnn = (id: string, user: string, quantity = 1): InventoryCommand => ({
  ...claimOf(id, user, quantity),
  holder_id: 'ann',
});

/** The events of these commands, each at START. */
function after(...commands: readonly InventoryCommand[]): InventoryEvent[] {
  return commands.reduce<InventoryEvent[]>(
    (events, command) => [...events, ...inventory.decide(command, stateOf(inventory, events), START, events.length)],
    [],
  );
}
/** What a command writes, or its refusal. */
function when(events: InventoryEvent[], command: InventoryCommand, now = START): unknown {
  const { outcome } = given(inventory, events).when(command, now);
  return typeof outcome === 'string' ? outcome : outcome.map(({ type }) => type.slice(0, -3));
}
const PLACED = ['hold-placed'];
const REFUSED = 'cannot_fulfill';

describe('I9: a hold by a user’s access token', () => {
  it('says whose it is, and under which maximum', () => {
    const [placed] = inventory.decide(byAnn('r1', 2), stateOf(inventory, after(onSale({ max_per_user: 3 }))), START);
    expect(placed?.data).toMatchObject({ holder_id: 'ann', max_per_user: 3 });
  });

  it.each<readonly [string, Partial<SaleTerms>, readonly InventoryCommand[], InventoryCommand, unknown]>([
    ['ten units', {}, [byAnn('r1', 4), byAnn('r2', 5)], byAnn('r3', 1), PLACED],
    ['an eleventh', {}, [byAnn('r1', 4), byAnn('r2', 6)], byAnn('r3', 1), REFUSED],
    ['eleven at once', {}, [], byAnn('r1', 11), REFUSED],
    ['what another user holds', {}, [placeOf('r1', 10, 'bob')], byAnn('r2', 10), PLACED],
    ['what the partner holds', {}, [placeOf('r1', 10)], byAnn('r2', 10), PLACED],
    ['what it gave back', {}, [byAnn('r1', 10), release('r1')], byAnn('r2', 10), PLACED],
    ['what was claimed', {}, [byAnn('r1', 10), claimByAnn('r1', 'ann', 10)], byAnn('r2', 10), PLACED],
    ['held, with a maximum', { max_per_user: 3 }, [byAnn('r1', 2)], byAnn('r2', 2), REFUSED],
    [
      'bought, with a maximum',
      { max_per_user: 3 },
      [placeOf('r1', 2), claimOf('r1', 'ann', 2)],
      byAnn('r2', 2),
      REFUSED,
    ],
    ['charging, with a maximum', { max_per_user: 3 }, [checkoutOf('p1', 'ann', 2)], byAnn('r2', 2), REFUSED],
    ['within the maximum', { max_per_user: 3 }, [checkoutOf('p1', 'ann', 2)], byAnn('r2', 1), PLACED],
    [
      'a card beside it, beyond the maximum',
      { max_per_user: 3 },
      [byAnn('r1', 2)],
      checkoutOf('p1', 'ann', 2),
      'purchase_invalid',
    ],
    [
      'a card beside it, within',
      { max_per_user: 3 },
      [byAnn('r1', 2)],
      checkoutOf('p1', 'ann', 1),
      ['checkout-started'],
    ],
    [
      'a claim of the partner’s beside it, beyond',
      { max_per_user: 3 },
      [byAnn('r1', 2), placeOf('r2', 2)],
      claimOf('r2', 'ann', 2),
      REFUSED,
    ],
    [
      'a claim of the partner’s for another',
      { max_per_user: 3 },
      [byAnn('r1', 2), placeOf('r2', 2)],
      claimOf('r2', 'bob', 2),
      ['hold-claimed'],
    ],
  ])('counts with %s', (_, changes, before, command, expected) => {
    expect(when(after(onSale(changes), ...before), command)).toEqual(expected);
  });

  it('does not count from its deadline on, and gets its event before the next one: a user never has many', () => {
    const events = after(onSale({ max_per_user: 10 }), byAnn('r1', 4), byAnn('r2', 6), placeOf('other', 1));
    expect(when(events, byAnn('r3', 10), START + HOLD - 1)).toBe(REFUSED);
    expect(when(events, checkoutOf('p1', 'ann', 10), START + HOLD)).toEqual(['checkout-started']);
    const { outcome, state } = given(inventory, events).when(byAnn('r3', 10), START + HOLD);
    expect(outcome).toMatchObject([
      { type: 'hold-expired.v1', data: { reservation_id: 'r1', held: 7 } },
      { type: 'hold-expired.v1', data: { reservation_id: 'r2', held: 1 } },
      { type: 'hold-placed.v1', data: { reservation_id: 'r3', held: 11 } },
    ]);
    expect(state.holdsOfUser.toJS()).toEqual({ ann: ['r3'] });
    expect(given(inventory, events).when(release('r1')).state.holdsOfUser.toJS()).toEqual({ ann: ['r2'] });
  });

  it('frees holds in the order of their deadlines, its user’s own and others', () => {
    const others = after(onSale(), setStock(3), placeOf('other'));
    const own = given(inventory, others).when(byAnn('own'), START + 1).outcome as readonly InventoryEvent[];
    expect(given(inventory, [...others, ...own]).when(byAnn('new', 3), START + 1 + HOLD).outcome).toMatchObject([
      { type: 'hold-expired.v1', data: { reservation_id: 'other', held: 1 } },
      { type: 'hold-expired.v1', data: { reservation_id: 'own', held: 0 } },
      { type: 'hold-placed.v1', data: { reservation_id: 'new', held: 3 } },
    ]);
  });

  it.each([
    ['open', START],
    ['expired', START + HOLD],
  ])('an %s one is claimed for its user alone', (_, now) => {
    const events = after(onSale(), byAnn('r1', 2));
    expect(when(events, claimByAnn('r1', 'bob', 2), now)).toBe(REFUSED);
    const claimed = now === START ? ['hold-claimed'] : ['hold-expired', 'units-sold'];
    expect(when(events, claimByAnn('r1', 'ann', 2), now)).toEqual(claimed);
  });

  it('is claimed up to the maximum that it counts with itself', () => {
    const events = after(onSale({ max_per_user: 2 }), byAnn('r1', 2));
    expect(when(events, claimByAnn('r1', 'ann', 2))).toEqual(['hold-claimed']);
    expect(given(inventory, events).when(claimByAnn('r1', 'ann', 2), START).state.holdsOfUser.size).toBe(0);
  });
});
