import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { LookAgain } from '#kernel';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import {
  HOLD,
  START,
  checkoutOf,
  claimOf,
  closeOf,
  placeOf,
  releaseOf,
  resaleOf,
  returnOf,
  terms,
} from '../../../test/support/sale.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';
import type { InventoryState } from './inventory.state.js';

/** More than the inventory remembers by their ids. */
const MANY = 5_000;

/** A deal under these commands, one after another. */
class Told {
  state: InventoryState = inventory.initialState;
  readonly events: InventoryEvent[] = [];
  constructor() {
    this.do({ type: 'set-terms', terms: terms() });
  }
  do(...commands: readonly InventoryCommand[]): readonly InventoryEvent[] {
    return commands.flatMap((command) => {
      const events = inventory.decide(command, this.state, START, this.events.length);
      this.state = stateOf(inventory, events, this.state);
      this.events.push(...events);
      return events;
    });
  }
  /** Other buyers' sales, released holds and checkouts without a sale. */
  goesOn(prefix = 'other'): void {
    for (let nth = 0; nth < MANY; nth += 1) {
      const [id, number] = [`${prefix}-${nth}`, this.state.next_number];
      if (nth % 3 === 0) this.do(placeOf(id), claimOf(id, `user-${nth % 50}`, 1, number));
      else if (nth % 3 === 1) this.do(placeOf(id), releaseOf(id, number));
      else this.do(checkoutOf(id, `user-${nth}`), closeOf(id, nth % 2 === 0));
    }
  }
}

describe('D3 D4 D12 A11: a deal that has forgotten the ids of what closed', () => {
  const told = new Told();
  told.do(
    placeOf('sold', 2),
    claimOf('sold', 'ann', 2),
    placeOf('released'),
    releaseOf('released', 1),
    checkoutOf('bought', 'bob', 2),
    closeOf('bought', true),
    returnOf('bought', 'bob', 0, 2),
    { type: 'set-stock', looked: Infinity, units: 1_000_000, change_id: 'change' },
  );
  const looked = told.state.recent.closings;
  told.goesOn();
  const { state } = told;
  const decide = (command: InventoryCommand): readonly InventoryEvent[] => inventory.decide(command, state, START);

  it('sells nothing a second time to a claim that is repeated, also for another user', () => {
    expect(decide(claimOf('sold', 'ann', 2, 0))).toEqual([]);
    expect(decide(claimOf('sold', 'bob', 2, 0))).toEqual([]);
  });

  it('refuses a release of what was sold, and does nothing for one that is repeated', () => {
    expect(() => decide(releaseOf('sold', 0))).toThrow('was claimed');
    expect(decide(releaseOf('released', 1))).toEqual([]);
  });

  it('takes fresh units for the claim of a hold that had ended', () => {
    expect(decide(claimOf('released', 'ann', 1, 1))).toMatchObject([{ type: 'units-sold.v1', data: { number: 1 } }]);
  });

  it('takes each unit back once, a million events apart or not', () => {
    expect(decide(returnOf('bought', 'bob', 0, 2))).toEqual([]);
    expect(decide(returnOf('bought', 'bob', 1, 3))).toMatchObject([{ type: 'unit-returned.v1', data: { unit: 3 } }]);
  });

  it('counts what each user has for a maximum that is set later', () => {
    const limited = stateOf(
      inventory,
      inventory.decide({ type: 'set-terms', terms: terms({ deal_revision: 9, max_per_user: 2 }) }, state, START),
      state,
    );
    const claim = (user: string): unknown => inventory.decide(claimOf('new', user, 1, 900_000), limited, START);
    expect(() => claim('ann')).toThrow('the user may buy at most 2 units, and has 2 already');
    expect(claim('bob')).toHaveLength(1);
  });

  it.each<readonly [string, (looked: number) => InventoryCommand]>([
    ['a reserve', (at) => ({ ...placeOf('released'), looked: at })],
    ['a checkout', (at) => ({ ...checkoutOf('bought', 'bob'), looked: at })],
    ['a resale', (at) => ({ ...resaleOf('s1', 'p1'), looked: at })],
    ['a change of the stock', (at) => ({ type: 'set-stock', units: 5_000_000, change_id: 'change', looked: at })],
  ])('lets the handler of %s look again if its look is too old', (_, command) => {
    expect(() => decide(command(looked))).toThrow(LookAgain);
    expect(() => decide(command(state.recent.since - 1))).toThrow(LookAgain);
    expect(decide(command(state.recent.since))).toHaveLength(1);
  });

  it('knows the ids of the last closings, and what is open, whenever somebody looked', () => {
    expect(decide({ ...placeOf(`other-${MANY - 1}`), looked: 0 })).toEqual([]);
    given(inventory, told.events.slice(0, 2))
      .when({ ...placeOf('sold', 2), looked: 0 }, START)
      .then([]);
  });

  it('does not grow with what it has sold', () => {
    const before = inventory.weigh?.(state) ?? NaN;
    const more = new Told();
    more.goesOn();
    more.goesOn('another');
    const grown = (inventory.weigh?.(more.state) ?? NaN) - before;
    // A bit for each number, and 16 to 20 bytes for each user with units.
    expect(grown).toBeLessThan(MANY / 4 + 1_000 * 20);
  });

  it('is the same state from the parts of a snapshot, which are small', () => {
    told.do(placeOf('open', 2), { ...placeOf('of-ann'), holder_id: 'ann' }, checkoutOf('p-open', 'carl', 2));
    const codes = Array.from({ length: 20 }, (_, nth) => `code-${nth}`);
    told.do({ type: 'add-codes', codes, seen: 0 }, resaleOf('s-open', 'p-of-s', 3), placeOf('last'));
    const parts = [...(inventory.snapshot?.parts(told.state) ?? [])].map((part) => serialize(part));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(256 * 1_024);
    const again = inventory.snapshot?.from(parts.map((part): unknown => deserialize(part)));
    // Its tables hold the same, in whatever form.
    const plain = (state: InventoryState): object => ({
      ...state,
      recent: state.recent.part(),
      unitsOfUser: [...state.unitsOfUser.parts()],
    });
    expect(plain(again as InventoryState)).toEqual(plain(told.state));
    expect(plain(again as InventoryState)).toEqual(plain(stateOf(inventory, told.events)));
    // Later decisions are the same, too.
    const late = claimOf('open', 'ann', 2, told.state.holds.get('open')?.number);
    for (const now of [START, START + HOLD]) {
      expect(inventory.decide(late, again as InventoryState, now)).toEqual(inventory.decide(late, told.state, now));
    }
  });
});
