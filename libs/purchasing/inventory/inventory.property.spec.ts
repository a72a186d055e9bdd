import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isCollection } from 'immutable';
import { DomainError, type Instant } from '#kernel';
import { expectSame } from '../../../test/support/expect-same.js';
import {
  HOLD,
  START,
  checkoutOf,
  claimOf,
  closeOf,
  closeResaleOf,
  placeOf,
  resaleOf,
  returnOf,
  terms,
} from '../../../test/support/sale.js';
import { runsOf, type CodePool, type CodeRun } from './code-pool.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';
import { codesIn, evolve, asImmutable, noInventory, asMutable, type InventoryState } from './inventory.state.js';
import { inventoryParts } from './snapshot.rules.js';

const MAX_PER_USER = 4;
/** The units of a deal that a user may hold by access tokens (ruling I9). */
const HELD_BY_TOKENS = 10;

/** The rules in their simplest form: a list of all holds and sales, searched each time. */
class Model {
  stock: number | null = null;
  /** The terms' revision and maximum. */
  revision = 0;
  most: number | null = MAX_PER_USER;
  readonly holds = new Map<string, Held>();
  readonly sales = new Map<string, { user: string; quantity: number }>();
  readonly checkouts = new Map<string, { user: string; quantity: number }>();
  /** Open resales, and the sold ones by their purchase. */
  readonly resales = new Map<string, { quantity: number }>();
  readonly resold = new Map<string, { quantity: number }>();
  readonly returned = new Set<string>();
  readonly #placed = new Set<string>();

  /** Whether a command returns a unit of a purchase that has none left: callers never send such a command. */
  isSpent(command: InventoryCommand): boolean {
    if (command.type !== 'return-unit' || this.returned.has(command.coupon_id)) return false;
    const sale = this.sales.get(command.purchase_id) ?? this.resold.get(command.purchase_id);
    return (sale?.quantity ?? 0) === 0;
  }

  /** Whether the rules allow the command; if so, applies it. */
  allows(command: InventoryCommand, now: Instant): boolean {
    switch (command.type) {
      case 'place-hold':
        // A repeat places nothing, also after the hold was closed.
        if (this.#placed.has(command.reservation_id) || this.sales.has(command.reservation_id)) return true;
        if (command.quantity > (this.most ?? Infinity) || command.quantity > this.left(now)) return false;
        if (command.holder_id !== null && !this.#mayHold(command.holder_id, command.quantity, now)) return false;
        this.#placed.add(command.reservation_id);
        this.holds.set(command.reservation_id, {
          quantity: command.quantity,
          deadline: now + HOLD,
          holder_id: command.holder_id,
          max_per_user: this.most,
        });
        return true;
      case 'claim': {
        const { purchase_id: id, user_id: user, holder_id: holder, quantity } = command;
        const sale = this.sales.get(id);
        // A repeat, also for another user, changes nothing.
        if (sale !== undefined) return true;
        if (holder !== null && holder !== user) return false;
        const hold = this.holds.get(id);
        const alive = hold !== undefined && now < hold.deadline;
        const most = Math.max(this.most ?? Infinity, alive ? (hold.max_per_user ?? Infinity) : 0);
        if (this.#unitsOf(user, now, id) + quantity > most) return false;
        if (!alive && quantity > this.left(now)) return false;
        this.holds.delete(id);
        this.sales.set(id, { user, quantity });
        return true;
      }
      case 'start-checkout': {
        const { purchase_id: id, user_id: user, quantity } = command;
        if (this.#placed.has(id) || this.sales.has(id)) return true;
        if ([...this.checkouts.values()].some((each) => each.user === user)) return false;
        if (quantity > this.left(now) || this.#unitsOf(user, now) + quantity > (this.most ?? Infinity)) return false;
        this.#placed.add(id);
        this.checkouts.set(id, { user, quantity });
        return true;
      }
      case 'close-checkout': {
        const checkout = this.checkouts.get(command.purchase_id);
        this.checkouts.delete(command.purchase_id);
        if (checkout !== undefined && command.sold) this.sales.set(command.purchase_id, checkout);
        return true;
      }
      case 'start-resale': {
        const { resale_id: id, quantity } = command;
        if (this.#placed.has(id)) return true;
        if (quantity > (this.most ?? Infinity) || quantity > this.left(now)) return false;
        this.#placed.add(id);
        this.resales.set(id, { quantity });
        return true;
      }
      case 'close-resale': {
        const resale = this.resales.get(command.resale_id);
        this.resales.delete(command.resale_id);
        if (resale !== undefined && command.sold) this.resold.set(command.purchase_id, resale);
        return true;
      }
      case 'return-unit': {
        const resold = this.resold.get(command.purchase_id);
        if (resold !== undefined && !this.returned.has(command.coupon_id)) {
          this.returned.add(command.coupon_id);
          this.resold.set(command.purchase_id, { quantity: resold.quantity - 1 });
          return true;
        }
        const sale = this.sales.get(command.purchase_id);
        if (sale === undefined || this.returned.has(command.coupon_id)) return true;
        this.returned.add(command.coupon_id);
        this.sales.set(command.purchase_id, { ...sale, quantity: sale.quantity - 1 });
        return true;
      }
      case 'release':
        if (this.sales.has(command.reservation_id)) return false;
        this.holds.delete(command.reservation_id);
        return true;
      case 'expire-hold': {
        const hold = this.holds.get(command.reservation_id);
        if (hold !== undefined && now >= hold.deadline) this.holds.delete(command.reservation_id);
        return true;
      }
      case 'set-stock':
        if (command.units !== null && command.units < this.taken(now)) return false;
        this.stock = command.units;
        return true;
      case 'set-terms':
        if (command.terms.deal.revision <= this.revision) return true;
        this.revision = command.terms.deal.revision;
        this.most = command.terms.max_per_user;
        return true;
      default:
        throw new Error('not a command of this model');
    }
  }

  taken(now: Instant): number {
    const held = [...this.holds.values()].filter(({ deadline }) => now < deadline);
    const others = [this.sales, this.checkouts, this.resales, this.resold].flatMap((each) => [...each.values()]);
    return [...held, ...others].reduce((sum, { quantity }) => sum + quantity, 0);
  }

  left(now: Instant): number {
    return this.stock === null ? Infinity : this.stock - this.taken(now);
  }

  /** Units that a user has bought and not returned. */
  boughtBy(user: string): number {
    const own = [...this.sales.values()].filter((each) => each.user === user);
    return own.reduce((sum, { quantity }) => sum + quantity, 0);
  }
  /** Units sold, in an open checkout, or held by access tokens, but for this hold. */
  #unitsOf(user: string, now: Instant, but?: string): number {
    const all = [...this.sales.values(), ...this.checkouts.values()];
    const units = all.filter((each) => each.user === user).reduce((sum, { quantity }) => sum + quantity, 0);
    return units + this.#heldBy(user, now, but);
  }

  #heldBy(user: string, now: Instant, but?: string): number {
    const own = [...this.holds].filter(([id, hold]) => id !== but && hold.holder_id === user && now < hold.deadline);
    return own.reduce((sum, [, { quantity }]) => sum + quantity, 0);
  }

  #mayHold(user: string, quantity: number, now: Instant): boolean {
    if (this.#heldBy(user, now) + quantity > HELD_BY_TOKENS) return false;
    return this.#unitsOf(user, now) + quantity <= (this.most ?? Infinity);
  }
}

interface Held {
  readonly quantity: number;
  readonly deadline: Instant;
  readonly holder_id: string | null;
  readonly max_per_user: number | null;
}

const id = fc.integer({ min: 0, max: 11 }).map((n) => `r${n}`);
/** Two of three reservations are by a user's access token. */
const holderOf = (reservation: string): string | null => [null, 'ann', 'bob'][Number(reservation.slice(1)) % 3] ?? null;
const quantityOf = (reservation: string): number => (Number(reservation.slice(1)) % 3) + 1;
const checkoutId = fc.integer({ min: 0, max: 5 }).map((n) => `p${n}`);
/** Each resale has a purchase of its own, and so its own coupons. */
const resaleId = fc.integer({ min: 0, max: 5 }).map((n) => `s${n}`);
const buyerOf = (purchase: string): string => (Number(purchase.slice(1)) % 2 === 0 ? 'ann' : 'bob');
const step = fc.record({
  passes: fc.oneof({ weight: 4, arbitrary: fc.nat(40_000) }, { weight: 1, arbitrary: fc.constantFrom(HOLD - 1, HOLD) }),
  command: fc.oneof(
    { weight: 5, arbitrary: id.map((r): InventoryCommand => placeOf(r, quantityOf(r), holderOf(r))) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(id, fc.constantFrom('ann', 'bob'))
        .map(([r, user]): InventoryCommand => ({ ...claimOf(r, user, quantityOf(r)), holder_id: holderOf(r) })),
    },
    {
      weight: 2,
      arbitrary: id.map((reservation_id): InventoryCommand => ({ type: 'release', number: 0, reservation_id })),
    },
    { weight: 2, arbitrary: id.map((reservation_id): InventoryCommand => ({ type: 'expire-hold', reservation_id })) },
    { weight: 4, arbitrary: checkoutId.map((p): InventoryCommand => checkoutOf(p, buyerOf(p), quantityOf(p))) },
    { weight: 4, arbitrary: fc.tuple(checkoutId, fc.boolean()).map(([p, sold]) => closeOf(p, sold)) },
    {
      weight: 2,
      arbitrary: checkoutId.chain((p) => fc.nat(quantityOf(p) - 1).map((n) => returnOf(p, buyerOf(p), n))),
    },
    { weight: 3, arbitrary: resaleId.map((s): InventoryCommand => resaleOf(s, `of-${s}`, quantityOf(s))) },
    { weight: 3, arbitrary: fc.tuple(resaleId, fc.boolean()).map(([s, sold]) => closeResaleOf(s, `of-${s}`, sold)) },
    {
      weight: 2,
      arbitrary: resaleId.chain((s) => fc.nat(quantityOf(s) - 1).map((n) => returnOf(`of-${s}`, null, n))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.nat(1_000), fc.constantFrom(2, MAX_PER_USER, 6, null))
        .map(([deal_revision, max_per_user]): InventoryCommand => ({
          type: 'set-terms',
          terms: terms({ deal_revision, max_per_user }),
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.oneof(fc.nat(9), fc.constant(null)), fc.uuid())
        .map(([units, change_id]): InventoryCommand => ({ type: 'set-stock', looked: Infinity, units, change_id })),
    },
  ),
});

/** The users' open holds, by the holds themselves. */
function ownersIn({ holds }: InventoryState): object {
  const own: Record<string, string[]> = {};
  for (const [id, { holder_id }] of holds) if (holder_id !== null) (own[holder_id] ??= []).push(id);
  return own;
}

/** With each list in the order of its texts. */
function sortedIn(lists: object): object {
  const all = Object.entries(lists as Readonly<Record<string, readonly string[]>>);
  return Object.fromEntries(all.map(([name, list]) => [name, list.toSorted()]));
}

function heldIn(state: InventoryState): number {
  const units = (sum: number, { quantity }: { readonly quantity: number }): number => sum + quantity;
  const resales = state.resales.map(({ terms: each }) => each);
  return state.holds.reduce(units, 0) + state.checkouts.reduce(units, 0) + resales.reduce(units, 0);
}

/** A reservation that nobody placed has a number that no hold gets. */
const NEVER_PLACED = 1_000_000;

/** The command with the number of its hold, or the unit of its coupon, as its handler has them from their streams. */
function numbered(command: InventoryCommand, history: readonly InventoryEvent[]): InventoryCommand {
  switch (command.type) {
    case 'claim':
    case 'release': {
      const own = command.type === 'claim' ? command.purchase_id : command.reservation_id;
      const placed = history.find((event) => event.type === 'hold-placed.v1' && event.data.reservation_id === own);
      const number = placed?.type === 'hold-placed.v1' ? placed.data.number : NEVER_PLACED + Number(own.slice(1));
      return { ...command, number };
    }
    case 'return-unit': {
      const sold = history.flatMap((event) => ('coupons' in event.data ? event.data.coupons : []));
      const coupon = sold.find((each) => each.id === command.coupon_id);
      return { ...command, unit: coupon?.unit ?? -1 };
    }
    default:
      return command;
  }
}

/** The numbers of all starts, those of all sales, and all units, in the order of their events. */
function numbersIn(history: readonly InventoryEvent[]): {
  readonly started: readonly number[];
  readonly sold: readonly number[];
  readonly units: readonly (number | null)[];
} {
  const started: number[] = [];
  const sold: number[] = [];
  const units: (number | null)[] = [];
  for (const { type, data } of history) {
    if ('coupons' in data) units.push(...data.coupons.map(({ unit }) => unit));
    if (!('number' in data)) continue;
    if (['hold-placed.v1', 'checkout-started.v1', 'resale-started.v1'].includes(type)) started.push(data.number);
    if (['hold-claimed.v1', 'units-sold.v1', 'checkout-sold.v1', 'resale-sold.v1'].includes(type)) {
      sold.push(data.number);
    }
  }
  return { started, sold, units };
}

/** The state that a snapshot of this one leads to. */
function fromSnapshot(state: InventoryState): InventoryState {
  const parts = [...inventoryParts.parts(state)].map((part): unknown => deserialize(serialize(part)));
  return inventoryParts.from(parts);
}

/** A state without persistent maps. */
function plain(state: InventoryState): object {
  return Object.fromEntries(
    Object.entries(state).map(([name, part]) => [name, isCollection(part) ? part.toJS() : pool(part)]),
  );
}

function pool(part: unknown): unknown {
  const { left } = (part ?? {}) as Partial<CodePool>;
  return left === undefined ? part : { ...(part as CodePool), left: left.toJS() };
}

describe('D1 D2 D3 D4 D6 D11 I4 I9: the inventory under any sequence of commands', () => {
  it('answers like the simple model, and stays within its bounds after every event', () => {
    fc.assert(
      fc.property(fc.nat(16), fc.array(step, { minLength: 1, maxLength: 60 }), (stock, steps) => {
        const model = new Model();
        model.stock = stock;
        let now = START;
        const history: InventoryEvent[] = [];
        let state: InventoryState = [
          { type: 'set-terms', terms: terms({ max_per_user: MAX_PER_USER }) } as const,
          { type: 'set-stock', looked: Infinity, units: stock, change_id: 'c' } as const,
        ].reduce<InventoryState>((before, command) => {
          const events = inventory.decide(command, before, now);
          history.push(...events);
          return events.reduce(evolve, before);
        }, noInventory);

        for (const { passes, command: made } of steps) {
          now += passes;
          if (model.isSpent(made)) continue;
          const command = numbered(made, history);
          const allowed = model.allows(command, now);
          let events;
          try {
            events = inventory.decide(command, state, now);
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
          }
          expectSame([command, events !== undefined], [command, allowed]);
          history.push(...(events ?? []));
          const deadlines: Instant[] = [];
          for (const event of events ?? []) {
            if (event.type === 'hold-expired.v1') {
              deadlines.push(state.holds.get(event.data.reservation_id)?.deadline ?? Infinity);
            }
            state = evolve(state, event);
            expectSame(state.held, heldIn(state));
            expectSame(sortedIn(state.holdsOfUser.toJS()), sortedIn(ownersIn(state)));
            if (state.stock !== null) expect(state.held + state.sold).toBeLessThanOrEqual(state.stock);
            if ('held' in event.data) {
              const { stock: units, held, sold } = event.data;
              expectSame([units, held, sold], [state.stock, state.held, state.sold]);
            }
          }
          // Only holds past their deadline expire, earliest first.
          expectSame(
            deadlines,
            deadlines.toSorted((a, b) => a - b),
          );
          expectSame(
            deadlines.every((deadline) => deadline <= now),
            true,
          );
          // A repeat leads to no event.
          if (events !== undefined) expectSame(inventory.decide(command, state, now), []);
          const open = state.holds.filter(({ deadline }) => now < deadline).map(({ number: _, ...hold }) => hold);
          expectSame(open.toJS(), Object.fromEntries([...model.holds].filter(([, { deadline }]) => now < deadline)));
          for (const user of ['ann', 'bob']) expectSame(state.unitsOfUser.get(user), model.boughtBy(user));
        }
        const { started, sold, units } = numbersIn(history);
        expectSame(
          started,
          started.map((_, index) => index),
        );
        expectSame(new Set(sold).size, sold.length);
        expect(started.filter((number) => state.sold_numbers.has(number))).toEqual(
          started.filter((number) => sold.includes(number)),
        );
        expectSame(
          units,
          units.map((_, index) => index),
        );
        expectSame([state.next_number, state.next_unit], [started.length, units.length]);

        const parts = [...(inventory.snapshot?.parts(state) ?? [])];
        expectSame(plain(inventory.snapshot?.from(parts) ?? noInventory), plain(state));

        // A fold in place, as in a load, leads to the same state, and does not change its initial state.
        const half = Math.floor(history.length / 2);
        const before = history.slice(0, half).reduce(evolve, noInventory);
        const untouched = plain(before);
        expectSame(plain(asImmutable(history.slice(half).reduce(evolve, asMutable(before)))), plain(state));
        expectSame(plain(before), untouched);
        expectSame(plain(fromSnapshot(state)), plain(state));
      }),
      { seed: 11, numRuns: 1_000 },
    );
  });
});

/** Codes in several portions, with repeats. */
const codesStep = fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 6 }).map((numbers): InventoryCommand => ({
  type: 'add-codes',
  codes: numbers.map((number) => `code-${number}`),
  seen: 0,
}));

describe('D10: the inventory with a pool of codes, under any sequence of commands', () => {
  // A reader sets numbers and never adds: the units of an event must be those after it.
  it('puts the resulting units and codes into every event, open checkouts and resales included, and gives no code twice', () => {
    const steps = fc.array(fc.oneof({ weight: 8, arbitrary: step }, { weight: 3, arbitrary: stepOf(codesStep) }), {
      minLength: 5,
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (sequence) => {
        let now = START;
        let state = evolve(noInventory, { type: 'terms-set.v1', data: { terms: terms() } });
        let next = 1;
        for (const { passes, command } of sequence) {
          now += passes;
          const seen = state.codes?.added ?? 0;
          const looked = command.type === 'add-codes' ? { ...command, seen } : command;
          for (const event of decided(looked, state, now, next)) {
            state = evolve(state, event);
            next += 1;
            if ('held' in event.data) {
              const { stock, held, sold, codes_left } = event.data;
              const codes = state.codes?.unsold ?? null;
              expect([event.type, stock, held, sold, codes_left]).toEqual([
                event.type,
                state.stock,
                state.held,
                state.sold,
                codes,
              ]);
            }
            const out = [...state.checkouts.values()].flatMap(({ codes }) => codes);
            out.push(...[...state.resales.values()].flatMap(({ terms: { coupons } }) => runsOf(codesIn(coupons))));
            const places = placesOf([...(state.codes?.left ?? []), ...out]);
            expectSame(new Set(places).size, places.length);
            expectSame(state.codes?.unsold ?? 0, places.length);
          }
        }
        expectSame(plain(fromSnapshot(state)), plain(state));
      }),
      { seed: 11, numRuns: 1_000 },
    );
  });
});

describe('D1: holds of different lengths on one deal', () => {
  // For example of processes with different clocks, or of a build with longer holds.
  it('each stops counting at its own deadline: free units sell, held ones do not, and the earliest expires first', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 12 });
    const closed = fc.array(fc.nat(11), { maxLength: 6 });
    fc.assert(
      fc.property(lengths, closed, fc.nat(22), fc.integer({ min: 1, max: 12 }), (deadlines, closes, now, quantity) => {
        const stock = deadlines.length;
        const events: InventoryEvent[] = [
          { type: 'terms-set.v1', data: { terms: terms({ start_at: 0 }) } },
          { type: 'stock-set.v1', data: { stock, held: 0, sold: 0, codes_left: null, change_id: 'c' } },
        ];
        const fold = (): InventoryState => asImmutable(events.reduce(evolve, asMutable(noInventory)));
        deadlines.forEach((deadline, index) => {
          const [placed] = inventory.decide(placeOf(`r${index}`), fold(), START - HOLD);
          if (placed?.type !== 'hold-placed.v1') throw new Error('there is a unit for each');
          events.push({ ...placed, data: { ...placed.data, deadline: START + deadline } });
        });
        for (const index of closes) {
          events.push(
            ...inventory.decide({ type: 'release', number: 0, reservation_id: `r${index}` }, fold(), START - HOLD),
          );
        }
        const open = fold().holds.filter(({ deadline }) => START + now < deadline).size;
        const placed = decided(placeOf('new', quantity), fold(), START + now);
        expectSame(placed.length > 0, quantity <= stock - open);
        const ran = placed.flatMap((event) =>
          event.type === 'hold-expired.v1' ? (fold().holds.get(event.data.reservation_id)?.deadline ?? 0) : [],
        );
        expectSame(
          ran,
          ran.toSorted((a, b) => a - b),
        );
      }),
      { seed: 11, numRuns: 1_000 },
    );
  });
});

function stepOf(command: fc.Arbitrary<InventoryCommand>): typeof step {
  return fc.record({ passes: fc.nat(40_000), command });
}

/** Each code of these runs, by its place. */
function placesOf(runs: readonly CodeRun[]): readonly string[] {
  return runs.flatMap(({ revision, index, count }) =>
    Array.from({ length: count }, (_, number) => `${revision}/${index + number}`),
  );
}

/** The events of a command; none if it is refused. */
function decided(
  command: InventoryCommand,
  state: InventoryState,
  now: Instant,
  next?: number,
): readonly InventoryEvent[] {
  try {
    return inventory.decide(command, state, now, next);
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}
