import { describe, expect, it } from '@jest/globals';
import { DomainError, type Instant } from '#kernel';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import {
  HOLD,
  START,
  checkoutOf,
  claimOf,
  closeOf,
  placeOf,
  returnOf,
  terms,
  type StartCommand,
} from '../../../test/support/sale.js';
import { purchaseFaults, PurchaseInvalid, type PurchaseFault } from './checkout.rules.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';
import { unitsLeft } from './inventory.state.js';
import type { SaleTerms } from './sale-terms.js';

/** The events of a series of commands, all at START. */
function after(...commands: readonly InventoryCommand[]): InventoryEvent[] {
  const events: InventoryEvent[] = [];
  for (const command of commands)
    events.push(...inventory.decide(command, stateOf(inventory, events), START, events.length));
  return events;
}
const onSale = (stock: number, changes: Partial<SaleTerms> = {}): readonly InventoryCommand[] => [
  { type: 'set-terms', terms: terms(changes) },
  { type: 'set-stock', looked: Infinity, units: stock, change_id: 'c' },
];
const codes = (...codes: readonly string[]): InventoryCommand => ({ type: 'add-codes', codes, seen: 0 });
const start = (changes: Partial<StartCommand>): StartCommand => ({ ...checkoutOf('p1', 'ann'), ...changes });

/** The refusal's code with its faulty parameters, or the types of the events. */
function outcome(events: readonly InventoryEvent[], command: InventoryCommand, now: Instant = START): unknown {
  try {
    return inventory.decide(command, stateOf(inventory, events), now).map(({ type }) => type);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [error.code, ...(error instanceof PurchaseInvalid ? error.faults : []).map(({ code }) => code)];
  }
}

describe('the inventory, while the gateway charges a card', () => {
  it('D6 D7: holds the units without a deadline, with everything that the charge and the coupons need', () => {
    given(inventory, after(...onSale(5), codes('a', 'b', 'c')))
      .when({ ...checkoutOf('p1', 'ann', 2), shipping_address_id: 'home', session_id: 's' }, START + 7)
      .then([
        {
          type: 'checkout-started.v1',
          data: {
            purchase_id: 'p1',
            number: 0,
            partner_id: 'acme',
            user_id: 'ann',
            credit_card_id: 'card-of-ann',
            shipping_address_id: 'home',
            session_id: 's',
            quantity: 2,
            price: 1_999,
            deal: terms().deal,
            coupons: [
              { id: 'p1-c0', barcode: '000000000000', unit: 0, code: { revision: 2, index: 0 } },
              { id: 'p1-c1', barcode: '000000000001', unit: 1, code: { revision: 2, index: 1 } },
            ],
            expires_at: terms().expires_at,
            expiration_days: null,
            takeover_at: START + 7 + 15_000,
            stock: 5,
            held: 2,
            sold: 0,
            codes_left: 3,
          },
        },
      ]);
    const open = after(...onSale(2), checkoutOf('p1', 'ann', 2));
    expect(outcome(open, placeOf('r1'), START + 1_000 * HOLD)).toEqual(['cannot_fulfill']);
  });

  it('D7: sells them if the gateway took the money, and frees them and their codes if not', () => {
    const open = after(...onSale(5), codes('a', 'b', 'c'), checkoutOf('p1', 'ann', 2));
    const units = { purchase_id: 'p1', number: 0, user_id: 'ann', quantity: 2, stock: 5, held: 0 };
    const sold = given(inventory, open).when(closeOf('p1', true));
    sold.then([{ type: 'checkout-sold.v1', data: { ...units, sold: 2, codes_left: 1 } }]);
    expect(unitsLeft(sold.state)).toBe(1);
    expect(sold.state.unitsOfUser.get('ann')).toBe(2);
    const undone = given(inventory, open).when(closeOf('p1', false));
    undone.then([{ type: 'checkout-undone.v1', data: { ...units, sold: 0, codes_left: 3 } }]);
    expect(unitsLeft(undone.state)).toBe(3);
    expect(undone.state.codes?.left.toArray()).toEqual([{ revision: 2, index: 0, count: 3 }]);
    for (const { state } of [sold, undone]) expect(state.checkoutOfUser.size + state.checkouts.size).toBe(0);
  });

  it('D7: does nothing twice, and ignores a closed checkout', () => {
    const open = after(...onSale(5), checkoutOf('p1', 'ann'));
    expect(outcome(open, checkoutOf('p1', 'ann'))).toEqual([]);
    const closed = [...open, ...inventory.decide(closeOf('p1', true), stateOf(inventory, open), START)];
    for (const again of [checkoutOf('p1', 'ann'), closeOf('p1', true), closeOf('p1', false)]) {
      expect(outcome(closed, again)).toEqual([]);
    }
  });

  // Nothing would ever close the second one: the purchase already has its outcome.
  it('A11 D6: does not start a checkout again that sold nothing', () => {
    const undone = after(...onSale(5), checkoutOf('p1', 'ann'), closeOf('p1', false));
    expect(outcome(undone, checkoutOf('p1', 'ann'))).toEqual([]);
    expect(outcome(undone, checkoutOf('p2', 'ann'))).toEqual(['checkout-started.v1']);
  });

  it('D6: refuses a user’s second open checkout before it checks anything else', () => {
    const open = after(...onSale(1), checkoutOf('p1', 'ann'));
    expect(outcome(open, checkoutOf('p2', 'ann', 7))).toEqual(['already_charging']);
    expect(outcome(open, checkoutOf('p2', 'bob'))).toEqual(['cannot_fulfill']);
    const declined = after(...onSale(1), checkoutOf('p1', 'ann'), closeOf('p1', false));
    expect(outcome(declined, checkoutOf('p2', 'ann'))).toEqual(['checkout-started.v1']);
  });

  it.each<[string, Partial<SaleTerms>, Partial<StartCommand>, unknown]>([
    ['a quantity of zero', {}, { quantity: 0 }, ['purchase_invalid', 'too_many']],
    ['a negative quantity', {}, { quantity: -3 }, ['purchase_invalid', 'too_many']],
    ['more than is left', {}, { quantity: 6 }, ['purchase_invalid', 'too_many']],
    ['all that is left', {}, { quantity: 5 }, ['checkout-started.v1']],
    ['more than max_per_user', { max_per_user: 2 }, { quantity: 3 }, ['purchase_invalid', 'too_many']],
    ['max_per_user', { max_per_user: 2 }, { quantity: 2 }, ['checkout-started.v1']],
    ['D5: the present price', {}, { expected_price: 1_999 }, ['checkout-started.v1']],
    ['D5: another price', {}, { expected_price: 1_998 }, ['purchase_invalid', 'other_price']],
    ['D5: both wrong', {}, { quantity: 9, expected_price: 0 }, ['purchase_invalid', 'too_many', 'other_price']],
    ['a deal that does not sell', { on_sale: false }, { quantity: 99 }, ['cannot_fulfill']],
  ])('D6: %s', (_, changes, command, expected) => {
    expect(outcome(after(...onSale(5, changes)), start(command))).toEqual(expected);
  });

  it('D6 D2: never sells more than 1000 at once', () => {
    expect(outcome(after(...onSale(5_000)), start({ quantity: 1_001 }))).toEqual(['purchase_invalid', 'too_many']);
    expect(outcome(after(...onSale(5_000)), start({ quantity: 1_000 }))).toEqual(['checkout-started.v1']);
  });

  it('D6: reports no fault of the quantity if nothing is left at all', () => {
    expect(outcome(after(...onSale(0)), start({ quantity: 1 }))).toEqual(['cannot_fulfill']);
    expect(outcome(after(...onSale(9), codes('a'), placeOf('r1')), start({}))).toEqual(['cannot_fulfill']);
    expect(outcome(after(), start({}))).toEqual(['deal_not_found']);
  });

  it('D6: counts the user’s sold units and those of an open checkout, in every way of buying', () => {
    const limit = onSale(9, { max_per_user: 2 });
    const bought = after(...limit, placeOf('r1'), claimOf('r1', 'ann'));
    expect(outcome(bought, checkoutOf('p1', 'ann', 2))).toEqual(['purchase_invalid', 'too_many']);
    expect(outcome(bought, checkoutOf('p1', 'ann'))).toEqual(['checkout-started.v1']);
    const charging = after(...limit, placeOf('r1'), checkoutOf('p1', 'ann', 2));
    expect(outcome(charging, claimOf('r1', 'ann'))).toEqual(['cannot_fulfill']);
    expect(outcome(charging, claimOf('r1', 'bob'))).toEqual(['hold-claimed.v1']);
  });

  it('D1: expires holds if it needs their units', () => {
    const held = after(...onSale(3), placeOf('r1', 3));
    expect(outcome(held, checkoutOf('p1', 'ann', 2), START + HOLD)).toEqual(['hold-expired.v1', 'checkout-started.v1']);
    expect(outcome(held, checkoutOf('p1', 'ann', 2), START + HOLD - 1)).toEqual(['cannot_fulfill']);
  });

  it('D10: counts codes added during an open checkout besides those that it has taken', () => {
    const open = after(...onSale(9), codes('a', 'b'), checkoutOf('p1', 'ann', 2));
    const added = given(inventory, open).when({ type: 'add-codes', codes: ['c'], seen: 2 });
    const units = { stock: 9, held: 2, sold: 0, codes_left: 3 };
    added.then([{ type: 'codes-added.v1', data: { ...units, revision: 4, previous: 2, codes: ['c'] } }]);
    expect(unitsLeft(added.state)).toBe(1);
  });

  it('D14: takes back the unit of a cancelled coupon once, without its code', () => {
    const sold = after(...onSale(2), codes('a', 'b'), checkoutOf('p1', 'ann', 2), closeOf('p1', true));
    const returned = given(inventory, sold).when(returnOf('p1', 'ann', 1));
    returned.then([
      {
        type: 'unit-returned.v1',
        data: {
          coupon_id: 'p1-c1',
          unit: 1,
          purchase_id: 'p1',
          user_id: 'ann',
          stock: 2,
          held: 0,
          sold: 1,
          codes_left: 0,
        },
      },
    ]);
    expect(returned.state.unitsOfUser.get('ann')).toBe(1);
    expect(unitsLeft(returned.state)).toBe(0);
    expect(inventory.decide(returnOf('p1', 'ann', 1), returned.state, START)).toEqual([]);
    const more = after(...onSale(2), checkoutOf('p1', 'ann', 2), closeOf('p1', true), returnOf('p1', 'ann', 0));
    expect(unitsLeft(stateOf(inventory, more))).toBe(1);
  });

  it('D6: reports in advance the faults of the given parts', () => {
    const state = stateOf(inventory, after(...onSale(3, { max_per_user: 2 }), placeOf('r1'), claimOf('r1', 'ann')));
    const faults = (wanted: Partial<Parameters<typeof purchaseFaults>[1]>): readonly PurchaseFault[] =>
      purchaseFaults(state, { user_id: 'ann', quantity: undefined, expected_price: undefined, ...wanted }, START);
    expect(faults({})).toEqual([]);
    expect(faults({ quantity: 2 })).toEqual([{ code: 'too_many', at_most: 1 }]);
    expect(faults({ user_id: undefined, quantity: 2 })).toEqual([]);
    expect(faults({ quantity: 2, expected_price: 1 })).toEqual([
      { code: 'too_many', at_most: 1 },
      { code: 'other_price', price: 1999 },
    ]);
    expect(purchaseFaults(stateOf(inventory, []), { user_id: 'u', quantity: 0, expected_price: 0 }, START)).toEqual([]);
  });
});
