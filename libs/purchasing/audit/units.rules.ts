import { isDeepStrictEqual } from 'node:util';
import { defineStreamRules, type Recorded, type StreamChecker } from '#kernel';
import { hashOf } from '#kernel/collections';
import { countOf, nextCodes } from '../inventory/code-pool.js';
import { HOLD_FOR, inventory } from '../inventory/inventory.decider.js';
import type { CodeAt, InventoryEvent, SoldCoupon, Units, UnitsSold } from '../inventory/inventory.events.js';
import { codesIn, type InventoryState } from '../inventory/inventory.state.js';
import { unitsAfter } from '../inventory/units.js';

type Of<Type extends InventoryEvent['type']> = Extract<InventoryEvent, { readonly type: Type }>['data'];

/** Bytes of an entry of a set or map of texts and numbers, about. */
const ENTRY_BYTES = 60;

/**
 * The arithmetic of a deal: every event has the units after it, and they must follow from those before. So nothing is held or sold
 * twice, nothing returns without a sale, no code is given twice, and no user passes a maximum.
 */
export const unitsRules = defineStreamRules(
  inventory,
  ['checkout-sold.v1', 'checkout-undone.v1', 'unit-returned.v1', 'resale-sold.v1', 'resale-undone.v1', 'terms-set.v1'],
  () => new UnitsChecker(),
);

class UnitsChecker implements StreamChecker<InventoryState, InventoryEvent> {
  /** The hashes of all codes of the pool. */
  readonly #codes = new Set<string>();
  /** The price of each open hold, in cents per unit. */
  readonly #prices = new Map<string, number>();

  get bytes(): number {
    return (this.#codes.size + this.#prices.size) * ENTRY_BYTES;
  }

  check(before: InventoryState, event: Recorded<InventoryEvent>): readonly string[] {
    if (event.type === 'terms-set.v1') return [];
    const wrong = this.#wrongIn(before, event);
    const { stock, held, sold } = event.data;
    if (held < 0) wrong.push(`${held} units are held`);
    if (sold < 0) wrong.push(`${sold} units are sold`);
    if (stock !== null && held + sold > stock)
      wrong.push(`${held} held and ${sold} sold units are more than the stock of ${stock}`);
    return wrong;
  }

  #wrongIn(
    before: InventoryState,
    event: Recorded<Exclude<InventoryEvent, { readonly type: 'terms-set.v1' }>>,
  ): string[] {
    switch (event.type) {
      case 'stock-set.v1':
        return units(event.data, after(before, { stock: event.data.stock }));
      case 'codes-added.v1':
        return this.#codesAdded(before, event.data, event.revision);
      case 'hold-placed.v1':
        return this.#placed(before, event.data, event.metadata.time);
      case 'hold-released.v1':
      case 'hold-expired.v1':
        return this.#closed(before, event.data);
      case 'hold-claimed.v1':
        return this.#claimed(before, event.data);
      case 'units-sold.v1':
        return sold(before, event.data);
      case 'checkout-started.v1':
        return started(before, event.data);
      case 'checkout-sold.v1':
        return checkoutClosed(before, event.data, true);
      case 'checkout-undone.v1':
        return checkoutClosed(before, event.data, false);
      case 'unit-returned.v1':
        return returned(before, event.data);
      case 'resale-started.v1':
        return resaleStarted(before, event.data);
      case 'resale-sold.v1':
        return resaleClosed(before, event.data, true);
      case 'resale-undone.v1':
        return resaleClosed(before, event.data, false);
    }
  }

  #codesAdded(before: InventoryState, data: Of<'codes-added.v1'>, revision: number): string[] {
    const { unsold, last } = before.codes ?? { unsold: 0, last: null };
    const wrong = units(data, { ...unitsAfter(before), codes_left: unsold + data.codes.length });
    if (data.revision !== revision) wrong.push(`it calls itself revision ${data.revision}`);
    if (data.previous !== last) wrong.push('it names another event as the last one with codes');
    let twice = 0;
    for (const code of data.codes) {
      const { low, high } = hashOf(code);
      const hash = `${low} ${high}`;
      if (this.#codes.has(hash)) twice += 1;
      this.#codes.add(hash);
    }
    if (twice > 0) wrong.push(`${twice} of its codes were in the pool before`);
    return wrong;
  }

  #placed(before: InventoryState, data: Of<'hold-placed.v1'>, time: number): string[] {
    const { terms } = before;
    this.#prices.set(data.reservation_id, data.price);
    const wrong = units(data, after(before, { held: data.quantity }));
    if (before.holds.has(data.reservation_id)) wrong.push('the reservation is open already');
    wrong.push(...numbered(before, data.number), ...priced(before, data.price));
    if (data.max_per_user !== terms?.max_per_user) wrong.push('its maximum per user is not that of the terms');
    if (data.deadline !== time + HOLD_FOR) wrong.push('its deadline is not five minutes after its time');
    return wrong;
  }

  #closed(before: InventoryState, data: Of<'hold-released.v1'>): string[] {
    this.#prices.delete(data.reservation_id);
    const hold = before.holds.get(data.reservation_id);
    if (hold === undefined) return ['it ends a hold that is not open'];
    const wrong = units(data, after(before, { held: -hold.quantity }));
    return [...wrong, ...same(data, { number: hold.number, quantity: hold.quantity })];
  }

  #claimed(before: InventoryState, data: Of<'hold-claimed.v1'>): string[] {
    const price = this.#prices.get(data.purchase_id);
    this.#prices.delete(data.purchase_id);
    const hold = before.holds.get(data.purchase_id);
    if (hold === undefined) return ['it sells the units of a hold that is not open'];
    const { number, quantity, max_per_user } = hold;
    const wrong = units(data, after(before, { held: -quantity, sold: data.quantity }, data.quantity));
    wrong.push(...same(data, { number, quantity, ...(price !== undefined && { price }) }));
    wrong.push(...couponsOf(before, data.coupons, data.quantity));
    const most = larger(max_per_user, before.terms?.max_per_user ?? null);
    return [...wrong, ...withinMaximum(before, data.user_id, data.quantity, most)];
  }
}

function sold(before: InventoryState, data: UnitsSold): string[] {
  const wrong = units(data, after(before, { sold: data.quantity }, data.quantity));
  if (before.holds.has(data.purchase_id)) wrong.push('its hold is still open');
  if (before.sold_numbers.has(data.number)) wrong.push('the reservation was sold before');
  if (data.number >= before.next_number) wrong.push('nothing was reserved under its number');
  wrong.push(...couponsOf(before, data.coupons, data.quantity));
  return [...wrong, ...withinMaximum(before, data.user_id, data.quantity, before.terms?.max_per_user ?? null)];
}

function started(before: InventoryState, data: Of<'checkout-started.v1'>): string[] {
  const wrong = units(data, after(before, { held: data.quantity }));
  if (before.checkouts.has(data.purchase_id)) wrong.push('the checkout is open already');
  if (before.checkoutOfUser.has(data.user_id)) wrong.push('the user has an open checkout already');
  wrong.push(...numbered(before, data.number), ...priced(before, data.price));
  wrong.push(...couponsOf(before, data.coupons, data.quantity));
  return [...wrong, ...withinMaximum(before, data.user_id, data.quantity, before.terms?.max_per_user ?? null)];
}

function checkoutClosed(before: InventoryState, data: Of<'checkout-sold.v1'>, isSold: boolean): string[] {
  const open = before.checkouts.get(data.purchase_id);
  if (open === undefined) return ['it ends a checkout that is not open'];
  const { number, user_id, quantity, codes } = open;
  const wrong = units(data, closedUnits(before, quantity, isSold ? countOf(codes) : undefined));
  return [...wrong, ...same(data, { number, user_id, quantity })];
}

function resaleStarted(before: InventoryState, data: Of<'resale-started.v1'>): string[] {
  const wrong = units(data, after(before, { held: data.quantity }));
  if (before.resales.has(data.resale_id)) wrong.push('the resale is open already');
  wrong.push(...numbered(before, data.number), ...priced(before, data.price));
  return [...wrong, ...couponsOf(before, data.coupons, data.quantity)];
}

function resaleClosed(before: InventoryState, data: Of<'resale-sold.v1'>, isSold: boolean): string[] {
  const open = before.resales.get(data.resale_id);
  if (open === undefined) return ['it ends a resale that is not open'];
  const { number, terms } = open;
  const { quantity } = terms;
  const wrong = units(data, closedUnits(before, quantity, isSold ? codesIn(terms.coupons).length : undefined));
  return [...wrong, ...same(data, { number, quantity })];
}

function returned(before: InventoryState, data: Of<'unit-returned.v1'>): string[] {
  const wrong = units(data, after(before, { sold: -1 }));
  if (before.returned.has(data.unit)) wrong.push('the unit was returned before');
  if (data.unit >= before.next_unit) wrong.push('the unit was never sold');
  return wrong;
}

/** The units after a checkout or resale has ended. @param codes that it has used; undefined if nothing is sold */
function closedUnits(before: InventoryState, quantity: number, codes: number | undefined): Units {
  const held = -quantity;
  return codes === undefined ? after(before, { held }) : after(before, { held, sold: quantity }, codes);
}

/** The units after a change: what it adds to those held and sold, and a new stock. */
function after(
  before: InventoryState,
  { held = 0, sold: more = 0, stock = before.stock }: Partial<Pick<Units, 'held' | 'sold' | 'stock'>>,
  codesTaken = 0,
): Units {
  const { codes } = before;
  return unitsAfter({ stock, held: before.held + held, sold: before.sold + more, codes }, codesTaken);
}

function units(found: Units, { stock, held, sold: have, codes_left }: Units): string[] {
  const isSame = found.stock === stock && found.held === held && found.sold === have && found.codes_left === codes_left;
  return isSame ? [] : same(found, { stock, held, sold: have, codes_left });
}

function same(found: object, expected: object): string[] {
  const wrong: string[] = [];
  for (const name in expected) {
    const [has, value] = [found, expected].map((each) => (each as Readonly<Record<string, unknown>>)[name]);
    if (has !== value) wrong.push(`its ${name} is ${String(has)}, and by the events before ${String(value)}`);
  }
  return wrong;
}

function numbered({ next_number }: InventoryState, number: number): string[] {
  return same({ number }, { number: next_number });
}

function priced({ terms }: InventoryState, price: number): string[] {
  return terms === null ? ['the deal has no terms yet'] : same({ price }, { price: terms.price });
}

/** A sale has one coupon for each unit, with the deal's next units and codes. */
function couponsOf({ next_unit, codes }: InventoryState, coupons: readonly SoldCoupon[], quantity: number): string[] {
  const wrong: string[] = [];
  if (coupons.length !== quantity) wrong.push(`it sells ${quantity} units with ${coupons.length} coupons`);
  if (coupons.some(({ unit }, index) => unit !== next_unit + index))
    wrong.push(`its coupons have other units than ${next_unit} and those after it: a unit is sold twice, or left out`);
  const next: readonly (CodeAt | undefined)[] = nextCodes(codes, coupons.length);
  if (
    !coupons.every(({ code }, index) => code === (next[index] ?? null) || isDeepStrictEqual(code, next[index] ?? null))
  )
    wrong.push('its coupons have other codes than the next ones of the pool');
  return wrong;
}

/** What a user holds by access tokens depends on the clock, and is left out: so this never finds too much. */
function withinMaximum(before: InventoryState, user: string, quantity: number, most: number | null): string[] {
  if (most === null) return [];
  const open = before.checkoutOfUser.get(user);
  const charging = open === undefined ? 0 : (before.checkouts.get(open)?.quantity ?? 0);
  const has = before.unitsOfUser.get(user) + charging;
  return has + quantity > most ? [`its user has ${has + quantity} units then, and may have ${most}`] : [];
}

/** The larger of two maxima; null is none. */
function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}
