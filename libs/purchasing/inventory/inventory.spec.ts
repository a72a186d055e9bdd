import { describe, expect, it } from '@jest/globals';
import { DAY, DomainError, LookAgain, type Instant } from '#kernel';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import { HOLD, START, claimOf, placeOf, releaseOf, terms } from '../../../test/support/sale.js';
import { inventory, LONGEST_HOLD, refuseTooLong, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';
import { unitsLeft } from './inventory.state.js';
import type { SaleTerms } from './sale-terms.js';

/** The events of a series of commands, each at START or, as `[command, time]`, at its time. */
function after(...commands: readonly (InventoryCommand | readonly [InventoryCommand, Instant])[]): InventoryEvent[] {
  const events: InventoryEvent[] = [];
  for (const each of commands) {
    const [command, now] = 'type' in each ? [each, START] : each;
    events.push(...inventory.decide(command, stateOf(inventory, events), now, events.length));
  }
  return events;
}
const onSale = (stock: number | null, changes: Partial<SaleTerms> = {}): readonly InventoryCommand[] => [
  { type: 'set-terms', terms: terms(changes) },
  ...(stock === null ? [] : [{ type: 'set-stock', looked: Infinity, units: stock, change_id: 'c' } as const]),
];
const setStock = (units: number, change_id: string): InventoryCommand => ({
  type: 'set-stock',
  looked: Infinity,
  units,
  change_id,
});
const codes = (...codes: readonly string[]): InventoryCommand => ({ type: 'add-codes', codes, seen: 0 });
const release = (reservation_id: string): InventoryCommand => ({ type: 'release', number: 0, reservation_id });
const expire = (reservation_id: string): InventoryCommand => ({ type: 'expire-hold', reservation_id });
const refused = 'cannot_fulfill';
/** An event's type, its id, and the units after it. */
const brief = (outcome: readonly InventoryEvent[] | string): unknown =>
  typeof outcome === 'string'
    ? outcome
    : outcome.map(({ type, data }) => {
        const id = 'reservation_id' in data ? data.reservation_id : 'purchase_id' in data ? data.purchase_id : '';
        const units = 'held' in data ? `${data.held}+${data.sold}/${data.stock ?? 'all'}` : '';
        return `${type.slice(0, -3)} ${id} ${units}`;
      });
const when = (events: InventoryEvent[], command: InventoryCommand, now = START): unknown =>
  brief(given(inventory, events).when(command, now).outcome);

describe('the inventory of a deal', () => {
  describe('its terms', () => {
    it('follow the order of the deal’s events: older ones are ignored', () => {
      const newer: InventoryCommand = { type: 'set-terms', terms: terms({ deal_revision: 3, price: 5 }) };
      const older: InventoryCommand = { type: 'set-terms', terms: terms({ deal_revision: 2, price: 9 }) };
      given(inventory)
        .when(newer)
        .then([{ type: 'terms-set.v1', data: { terms: newer.terms } }]);
      given(inventory, after(newer)).when(older).then([]);
      given(inventory, after(newer)).when(newer).then([]);
      expect(given(inventory, after(older)).when(newer).state.terms?.price).toBe(5);
    });

    it('are needed to hold units', () => {
      given(inventory).when(placeOf('r1')).then('deal_not_found');
    });
  });

  describe('D2: to hold units', () => {
    it('takes them at the present price for exactly five minutes', () => {
      given(inventory, after(...onSale(5)))
        .when(placeOf('r1', 2), START + 7)
        .then([
          {
            type: 'hold-placed.v1',
            data: {
              reservation_id: 'r1',
              number: 0,
              partner_id: 'acme',
              quantity: 2,
              price: 1_999,
              deadline: START + 7 + 300_000,
              holder_id: null,
              max_per_user: null,
              deal: terms().deal,
              stock: 5,
              held: 2,
              sold: 0,
              codes_left: null,
            },
          },
        ]);
    });

    it.each([
      ['at the start', START, 'yes'],
      ['before the start', START - 1, refused],
      ['just before the end', terms().end_at - 1, 'yes'],
      ['at the end', terms().end_at, refused],
    ])('%s', (_, now, answer) => {
      const outcome = given(inventory, after(...onSale(5))).when(placeOf('r1'), now).outcome;
      expect(typeof outcome === 'string' ? outcome : 'yes').toBe(answer);
    });

    it.each([
      [0, refused],
      [-1, refused],
      [1, 'yes'],
      [1_000, 'yes'],
      [1_001, refused],
    ])('of unlimited stock, %d units', (quantity, answer) => {
      const outcome = given(inventory, after(...onSale(null))).when(placeOf('r1', quantity), START).outcome;
      expect(typeof outcome === 'string' ? outcome : 'yes').toBe(answer);
    });

    it('is refused beyond max_per_user, beyond the stock, and for a deal that does not sell', () => {
      expect(when(after(...onSale(5, { max_per_user: 2 })), placeOf('r', 3))).toBe(refused);
      expect(when(after(...onSale(5, { max_per_user: 2 })), placeOf('r', 2))).toEqual(['hold-placed r 2+0/5']);
      expect(when(after(...onSale(2)), placeOf('r', 3))).toBe(refused);
      expect(when(after(...onSale(5, { on_sale: false })), placeOf('r'))).toBe(refused);
      expect(when(after(...onSale(0)), placeOf('r'))).toBe(refused);
    });

    it('a second time under the same id changes nothing, whether held or sold', () => {
      const held = after(...onSale(5), placeOf('r1'));
      given(inventory, held).when(placeOf('r1'), START).then([]);
      given(inventory, [...held, ...after(...onSale(5), placeOf('r1'), claimOf('r1', 'ann')).slice(-1)])
        .when(placeOf('r1'), START)
        .then([]);
    });
  });

  it('D2: a hold that its expiry would end at once is refused: each hold lasts until its deadline', () => {
    const placed = after(...onSale(5), placeOf('a', 1));
    for (const now of [START, START + HOLD - 1]) expect(when(placed, expire('a'), now)).toEqual([]);
    const lasting = (length: number): InventoryEvent[] =>
      placed.map((event) =>
        event.type === 'hold-placed.v1' ? { ...event, data: { ...event.data, deadline: START + length } } : event,
      );
    expect(refuseTooLong(lasting(LONGEST_HOLD), START)).toHaveLength(placed.length);
    expect(() => refuseTooLong(lasting(LONGEST_HOLD + 1), START)).toThrow('is longer than LONGEST_HOLD');
  });

  // A repeat of a request that broke off has the same id; the hold of its first try may be closed by then.
  it('A11: a repeat after the hold was released or ran out holds nothing', () => {
    const placed = after(...onSale(5), placeOf('r1'));
    for (const [close, at] of [
      [release('r1'), START],
      [expire('r1'), START + HOLD],
    ] as const) {
      const closed = [...placed, ...inventory.decide(close, stateOf(inventory, placed), at)];
      expect(when(closed, placeOf('r1'), at)).toEqual([]);
      expect(when(closed, placeOf('r2'), at)).toEqual(['hold-placed r2 1+0/5']);
    }
  });

  describe('D1: a hold stops counting at its deadline', () => {
    const full = after(
      ...onSale(4),
      placeOf('old', 1),
      [placeOf('middle', 2), START + 10],
      [placeOf('young', 1), START + 20],
    );

    it('not a millisecond before', () => {
      expect(when(full, placeOf('new'), START + HOLD - 1)).toBe(refused);
    });

    it('by the clock alone: a decision that needs its units writes its expiry too', () => {
      expect(when(full, placeOf('new'), START + HOLD)).toEqual(['hold-expired old 3+0/4', 'hold-placed new 4+0/4']);
    });

    it('the earliest first, and only as many as needed', () => {
      expect(when(full, placeOf('new', 2), START + 2 * HOLD)).toEqual([
        'hold-expired old 3+0/4',
        'hold-expired middle 1+0/4',
        'hold-placed new 3+0/4',
      ]);
      expect(when(after(...onSale(9), placeOf('old')), placeOf('new'), START + HOLD)).toEqual([
        'hold-placed new 2+0/9',
      ]);
    });

    it('and no event is written if that would not be enough', () => {
      expect(when(full, placeOf('new', 5), START + 2 * HOLD)).toBe(refused);
      expect(when(full, placeOf('new', 4), START + HOLD + 10)).toBe(refused);
    });

    it('holds that are closed already are skipped', () => {
      const events = [...full, ...inventory.decide(release('middle'), stateOf(inventory, full), START + 30)];
      expect(when(events, placeOf('new', 4), START + 2 * HOLD)).toEqual([
        'hold-expired old 1+0/4',
        'hold-expired young 0+0/4',
        'hold-placed new 4+0/4',
      ]);
    });

    // A clock that was ahead placed it: with a right clock no hold lasts as long.
    it('the work list ends a hold that would last longer than any hold placed now', () => {
      expect(when(full, expire('old'), START - 10_001)).toEqual(['hold-expired old 3+0/4']);
      expect(when(full, expire('old'), START - 10_000)).toEqual([]);
    });

    it('the work list writes its expiry once, and never early', () => {
      given(inventory, full)
        .when(expire('old'), START + HOLD - 1)
        .then([]);
      expect(when(full, expire('old'), START + HOLD)).toEqual(['hold-expired old 3+0/4']);
      given(inventory, [...full, ...inventory.decide(expire('old'), stateOf(inventory, full), START + HOLD)])
        .when(expire('old'), START + HOLD)
        .then([]);
      given(inventory, full)
        .when(expire('unknown'), START + HOLD)
        .then([]);
    });
  });

  describe('D3: to claim', () => {
    const held = after(...onSale(3, { max_per_user: 2 }), placeOf('r1', 2));

    it('an open hold sells at the price and time of the reservation', () => {
      given(inventory, held)
        .when(claimOf('r1', 'ann', 2), START + HOLD - 1)
        .then([
          {
            type: 'hold-claimed.v1',
            data: {
              purchase_id: 'r1',
              number: 0,
              partner_id: 'acme',
              user_id: 'ann',
              quantity: 2,
              price: 1_999,
              created_at: START,
              deal: terms().deal,
              coupons: [
                { id: 'r1-c0', barcode: '000000000000', unit: 0, code: null },
                { id: 'r1-c1', barcode: '000000000001', unit: 1, code: null },
              ],
              coupons_expire_at: terms().expires_at,
              stock: 3,
              held: 0,
              sold: 2,
              codes_left: null,
            },
          },
        ]);
    });

    it('I2: sells the deal as it was reserved, from an open hold and from one that has expired, whatever it is now', () => {
      const edited: InventoryCommand = {
        type: 'set-terms',
        terms: terms({ deal: { ...terms().deal, revision: 7, title: 'Half a day', image: null }, price: 5 }),
      };
      const events = after(...onSale(3), placeOf('r1'), edited);
      for (const [now, type] of [
        [START + 2, 'hold-claimed.v1'],
        [START + HOLD, 'units-sold.v1'],
      ] as const) {
        const sale = inventory.decide(claimOf('r1', 'ann'), stateOf(inventory, events), now).at(-1);
        expect(sale).toMatchObject({ type, data: { deal: terms().deal, price: 1_999 } });
      }
      expect(after(...onSale(3), edited, placeOf('r1')).at(-1)).toMatchObject({
        data: { deal: { revision: 7, title: 'Half a day' }, price: 5 },
      });
    });

    it('an open hold sells even if the deal stopped selling', () => {
      const stopped: InventoryCommand = {
        type: 'set-terms',
        terms: terms({ deal_revision: 1, on_sale: false, end_at: START + 1 }),
      };
      const events = after(...onSale(3), placeOf('r1'), stopped);
      expect(when(events, claimOf('r1', 'ann'), START + 2)).toEqual(['hold-claimed r1 0+1/3']);
    });

    it('an expired hold takes fresh units in the same decision', () => {
      expect(when(held, claimOf('r1', 'ann', 2), START + HOLD)).toEqual([
        'hold-expired r1 0+0/3',
        'units-sold r1 0+2/3',
      ]);
    });

    it('so does a hold whose expiry or release is in the log', () => {
      for (const close of [expire('r1'), release('r1')]) {
        const events = [...held, ...inventory.decide(close, stateOf(inventory, held), START + HOLD)];
        expect(when(events, claimOf('r1', 'ann', 2), START + HOLD)).toEqual(['units-sold r1 0+2/3']);
      }
    });

    it('an expired hold needs a deal that still sells, with units left', () => {
      const stopped: InventoryCommand = { type: 'set-terms', terms: terms({ deal_revision: 1, on_sale: false }) };
      expect(when(after(...onSale(3), placeOf('r1'), stopped), claimOf('r1', 'ann'), START + HOLD)).toBe(refused);
      const taken = after(...onSale(1), placeOf('r1'), [placeOf('r2'), START + HOLD]);
      expect(when(taken, claimOf('r1', 'ann'), START + HOLD)).toBe(refused);
      expect(when(taken, claimOf('r1', 'ann'), START + 2 * HOLD)).toEqual([
        'hold-expired r2 0+0/1',
        'units-sold r1 0+1/1',
      ]);
    });

    it('expired holds get their events earliest first, the claimed one in its place', () => {
      const events = after(...onSale(3), placeOf('old'), [placeOf('own', 2), START + 10]);
      const claim = claimOf('own', 'ann', 3);
      expect(when(events, claim, START + 2 * HOLD)).toEqual([
        'hold-expired old 2+0/3',
        'hold-expired own 0+0/3',
        'units-sold own 0+3/3',
      ]);
    });

    it('a second time changes nothing, also for another user: only the reservation knows the buyer', () => {
      const sold = [...held, ...inventory.decide(claimOf('r1', 'ann', 2), stateOf(inventory, held), START)];
      given(inventory, sold)
        .when(claimOf('r1', 'ann', 2), START + 9 * HOLD)
        .then([]);
      given(inventory, sold)
        .when(claimOf('r1', 'bob', 2), START)
        .then([]);
    });

    it.each(['open', 'expired'])('max_per_user counts over all purchases of the user, with an %s hold', (which) => {
      const now = which === 'open' ? START : START + HOLD;
      const events = after(...onSale(9, { max_per_user: 2 }), placeOf('r1'), placeOf('r2', 2), claimOf('r1', 'ann'));
      expect(when(events, claimOf('r2', 'ann', 2, 1), now)).toBe(refused);
      expect(when(events, claimOf('r2', 'bob', 2, 1), now)).toHaveLength(which === 'open' ? 1 : 2);
    });

    it('a refusal does not change the hold', () => {
      const events = after(...onSale(9, { max_per_user: 1 }), placeOf('r1'), claimOf('r1', 'ann'), placeOf('r2'));
      expect(
        given(inventory, events)
          .when(claimOf('r2', 'ann', 1, 1), START)
          .state.holds.has('r2'),
      ).toBe(true);
    });
  });

  describe('D4: to release', () => {
    const held = after(...onSale(3), placeOf('r1', 2));

    it('gives the units back', () => {
      expect(when(held, release('r1'), START + HOLD - 1)).toEqual(['hold-released r1 0+0/3']);
    });

    it('at the deadline writes that it ran out', () => {
      expect(when(held, release('r1'), START + HOLD)).toEqual(['hold-expired r1 0+0/3']);
    });

    it('a second time, or an unknown hold, changes nothing; a claimed one is refused', () => {
      const released = [...held, ...inventory.decide(release('r1'), stateOf(inventory, held), START)];
      given(inventory, released).when(release('r1'), START).then([]);
      given(inventory, held).when(releaseOf('unknown', 1), START).then([]);
      const sold = [...held, ...inventory.decide(claimOf('r1', 'ann', 2), stateOf(inventory, held), START)];
      given(inventory, sold).when(release('r1'), START).then(refused);
    });
  });

  describe('D1 G4: its stock', () => {
    const used = after(...onSale(5), placeOf('r1', 2), placeOf('r2'), claimOf('r2', 'ann', 1, 1));

    it('is set to the given number, with sold units included', () => {
      expect(when(used, { type: 'set-stock', looked: Infinity, units: 3, change_id: 'change-3' })).toEqual([
        'stock-set  2+1/3',
      ]);
      expect(when(used, { type: 'set-stock', looked: Infinity, units: null, change_id: 'change-null' })).toEqual([
        'stock-set  2+1/all',
      ]);
      given(inventory, used)
        .when({ type: 'set-stock', looked: Infinity, units: 5, change_id: 'change-5' }, START)
        .then([]);
    });

    it('A11: a repeat of a change after another operator’s change does nothing', () => {
      const changes = after(...onSale(5), setStock(8, 'first'), setStock(7, 'second'));
      given(inventory, changes).when(setStock(8, 'first')).then([]);
      expect(when(changes, setStock(8, 'third'))).toEqual(['stock-set  0+0/8']);
    });

    it('is never below held and sold units', () => {
      const refusal = (): unknown =>
        inventory.decide(
          { type: 'set-stock', looked: Infinity, units: 2, change_id: 'change-2' },
          stateOf(inventory, used),
          START + HOLD - 1,
        );
      expect(refusal).toThrow(new DomainError('stock_below_sold', 'is less than what is held and sold'));
    });

    it('can be lowered by the units of holds past their deadline', () => {
      expect(
        when(used, { type: 'set-stock', looked: Infinity, units: 1, change_id: 'change-1' }, START + HOLD),
      ).toEqual(['hold-expired r1 0+1/5', 'stock-set  0+1/1']);
    });
  });

  describe('D10: its pool of codes', () => {
    it('takes each code once, in the order given', () => {
      const first = given(inventory).when(codes('a', 'b', 'a'));
      const units = { stock: null, held: 0, sold: 0 };
      first.then([
        {
          type: 'codes-added.v1',
          data: { ...units, codes_left: 2, revision: 0, previous: null, codes: ['a', 'b'] },
        },
      ]);
      given(inventory, after(codes('a', 'b')))
        .when({ type: 'add-codes', codes: ['c'], seen: 2 })
        .then([{ type: 'codes-added.v1', data: { ...units, codes_left: 3, revision: 1, previous: 0, codes: ['c'] } }]);
    });

    it('asks whoever adds codes to look again, if the pool has had others meanwhile', () => {
      const had = stateOf(inventory, after(codes('a', 'b')));
      for (const seen of [0, 1, 3]) {
        expect(() => inventory.decide({ type: 'add-codes', codes: ['a', 'c'], seen }, had, START, 1)).toThrow(
          LookAgain,
        );
      }
    });

    it('adds nothing at a revision that nobody knows: sales name codes by it', () => {
      expect(() => inventory.decide(codes('a'), inventory.initialState, START)).toThrow(RangeError);
    });

    it('gives each unit of a sale a code, and none twice', () => {
      const events = after(
        ...onSale(9),
        codes('a', 'b', 'c'),
        placeOf('r1', 2),
        claimOf('r1', 'ann', 2),
        placeOf('r2'),
        claimOf('r2', 'bob', 1, 1),
      );
      const given = events.flatMap(({ data }) => ('coupons' in data ? data.coupons : []));
      expect(given.map(({ code }) => code)).toEqual([0, 1, 2].map((index) => ({ revision: 2, index })));
      expect(events.at(-1)?.data).toMatchObject({ codes_left: 0, sold: 3 });
    });

    it('without a code left, no unit is left; held units count', () => {
      const events = after(...onSale(9), codes('a', 'b'), placeOf('r1'));
      expect(when(events, placeOf('r2', 2))).toBe(refused);
      expect(when(events, placeOf('r2', 2), START + HOLD)).toEqual(['hold-expired r1 0+0/9', 'hold-placed r2 2+0/9']);
      expect(when(after(...onSale(1), codes('a', 'b')), placeOf('r2', 2))).toBe(refused);
    });

    it('smaller than older holds, never counts below zero', () => {
      const events = after(...onSale(9), placeOf('r1', 2), codes('a'), claimOf('r1', 'ann', 2));
      expect(events.at(-1)?.data).toMatchObject({
        codes_left: 0,
        coupons: [{ code: { revision: 3, index: 0 } }, { code: null }],
      });
      expect(unitsLeft(stateOf(inventory, events))).toBe(0);
    });
  });

  it('D10: coupons expire with the deal, or a number of days after the sale', () => {
    const expiry = (changes: Partial<SaleTerms>): unknown => {
      const events = after(...onSale(3, changes), placeOf('r1'), [claimOf('r1', 'ann'), START + 9]);
      const { data } = events.at(-1) ?? { data: {} };
      return 'coupons_expire_at' in data ? data.coupons_expire_at : undefined;
    };
    expect(expiry({})).toBe(terms().expires_at);
    expect(expiry({ expires_at: null })).toBeNull();
    expect(expiry({ expiration_days: 30 })).toBe(START + 9 + 30 * DAY);
  });
});
