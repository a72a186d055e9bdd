import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

/** The most units in one purchase (ruling D2). */
const MOST = 1_000;
/** A reservation's time in milliseconds (ruling D2). */
const HOLD_FOR = 300_000;

interface Coupon {
  readonly id: string;
  readonly barcode: string;
  readonly unit: number | null;
  readonly code: { readonly revision: number; readonly index: number } | null;
}

/** The fields that events of inventories have, all of them together. */
interface Data {
  readonly stock: number | null;
  readonly held: number;
  readonly sold: number;
  readonly codes_left: number | null;
  readonly quantity: number;
  readonly number: number;
  readonly unit: number;
  readonly price: number;
  readonly deadline: number;
  readonly reservation_id: string;
  readonly purchase_id: string;
  readonly resale_id: string;
  readonly coupon_id: string;
  readonly user_id: string | null;
  readonly coupons: readonly Coupon[];
  readonly codes: readonly string[];
  readonly terms: Terms;
  /** Of a hold: the deal's maximum at that moment (ruling I4). */
  readonly max_per_user: number | null;
}

interface Terms {
  readonly on_sale: boolean;
  readonly start_at: number;
  readonly end_at: number;
  readonly price: number;
  readonly max_per_user: number | null;
}

interface Held {
  readonly number: number;
  readonly quantity: number;
  readonly deadline: number | undefined;
  readonly user: string | undefined;
  /** The places of codes. */
  readonly codes: readonly string[];
  /** Of a hold: the deal's own maximum when it was placed. */
  readonly most?: number | null;
}

/** One deal's units, counted from quantities alone. */
interface Deal {
  terms: Terms | undefined;
  stock: number | null;
  sold: number;
  readonly held: Map<string, Held>;
  /** Holds, checkouts and resales so far. */
  started: number;
  /** The numbers of those that were sold. */
  readonly sales: Set<number>;
  /** Units that a sale, a checkout or a resale had so far. */
  units: number;
  /** Units that each user has bought, without those that came back. */
  readonly users: Map<string, number>;
  /** Coupons of sales, and their units. */
  readonly coupons: Map<string, number | null>;
  readonly returned: Set<number>;
  /** The places of codes that nobody has; undefined without a pool. */
  pool: Set<string> | undefined;
  /** The texts of all codes. */
  readonly codes: Set<string>;
}

/**
 * The units of every deal at every position of the log: never more held and sold than stock, nor more than one user may have;
 * holds that end neither early nor twice; codes that are given once; and counters in the events that say the same.
 */
export class Units {
  readonly #deals = new Map<string, Deal>();
  readonly #barcodes = new Map<string, string>();

  /** Held units with a deadline that are still open, by deal. */
  get openHolds(): ReadonlyMap<string, ReadonlyMap<string, { readonly deadline: number | undefined }>> {
    return new Map([...this.#deals].map(([deal, { held }]) => [deal, held]));
  }

  /** What a deal has left, and has sold; `codes` are those that no sale has, null without a pool. */
  of(
    deal: string,
  ):
    | { readonly stock: number | null; readonly held: number; readonly sold: number; readonly codes: number | null }
    | undefined {
    const found = this.#deals.get(deal);
    return found && { stock: found.stock, held: heldIn(found), sold: found.sold, codes: codesIn(found) };
  }

  /** @throws Violation */
  check(event: Recorded): void {
    if (!event.stream.startsWith('inventory-')) return;
    const id = idOf(event.stream);
    let deal = this.#deals.get(id);
    if (deal === undefined) this.#deals.set(id, (deal = newDeal()));
    this.#apply(deal, event);
    const { stock, sold } = deal;
    const held = heldIn(deal);
    const where = placeOf(event);
    if (stock !== null && held + sold > stock)
      throw new Violation('held and sold are within stock', where, `${held} held and ${sold} sold of ${stock}`);
    const said = event.data as Data;
    if ('held' in said && (said.held !== held || said.sold !== sold || said.stock !== stock))
      throw new Violation(
        'the counters add up',
        where,
        `${said.held}, ${said.sold}, ${said.stock}; expected ${held}, ${sold}, ${stock}`,
      );
    if (deal.pool === undefined || !('held' in said)) return;
    const left = codesIn(deal) ?? 0;
    if (said.codes_left !== left)
      throw new Violation('the codes add up', where, `${said.codes_left}; expected ${left}`);
    if (held > left) throw new Violation('no unit without its code', where, `${held} held, and ${left} codes are left`);
  }

  #apply(deal: Deal, event: Recorded): void {
    const data = event.data as Data;
    const { quantity, number, user_id } = data;
    switch (event.type) {
      case 'terms-set.v1':
        deal.terms = data.terms;
        return;
      case 'stock-set.v1':
        deal.stock = data.stock;
        return;
      case 'codes-added.v1':
        deal.pool ??= new Set();
        for (const [index, code] of data.codes.entries()) {
          if (deal.codes.has(code)) throw new Violation('codes are unique', placeOf(event), code);
          deal.codes.add(code);
          deal.pool.add(placeOfCode({ revision: event.revision, index }));
        }
        return;
      case 'hold-placed.v1':
        mustSell(deal, event);
        hold(deal, event, data.reservation_id, {
          number,
          quantity,
          deadline: data.deadline,
          user: undefined,
          codes: [],
          most: limitOf(deal),
        });
        if (data.max_per_user !== limitOf(deal))
          throw new Violation(
            'a hold keeps the maximum of its moment',
            placeOf(event),
            `${data.max_per_user}; expected ${limitOf(deal)}`,
          );
        if (data.deadline - event.metadata.time !== HOLD_FOR)
          throw new Violation('a hold lasts five minutes', placeOf(event), `${data.deadline - event.metadata.time} ms`);
        return;
      case 'hold-released.v1':
      case 'hold-expired.v1': {
        const { deadline = 0 } = close(deal, event, data.reservation_id);
        const isOver = event.metadata.time >= deadline;
        if (isOver !== (event.type === 'hold-expired.v1'))
          throw new Violation(
            'a hold ends at its time',
            placeOf(event),
            `at ${event.metadata.time}, deadline ${deadline}`,
          );
        return;
      }
      case 'hold-claimed.v1': {
        const { deadline = 0, most = 0 } = close(deal, event, data.purchase_id);
        if (event.metadata.time >= deadline)
          throw new Violation(
            'a claimed hold is open',
            placeOf(event),
            `at ${event.metadata.time}, deadline ${deadline}`,
          );
        takeCodes(deal, event);
        this.#sell(deal, event, user_id, larger(most, limitOf(deal)));
        return;
      }
      case 'units-sold.v1':
        mustSell(deal, event);
        takeCodes(deal, event);
        this.#sell(deal, event, user_id, limitOf(deal));
        return;
      case 'checkout-started.v1': {
        mustSell(deal, event);
        const open = [...deal.held.values()].some(({ user }) => user !== undefined && user === user_id);
        if (open) throw new Violation('a user has one open checkout', placeOf(event), String(user_id));
        const codes = takeCodes(deal, event);
        const user = user_id ?? undefined;
        hold(deal, event, data.purchase_id, { number, quantity, deadline: undefined, user, codes });
        this.#coupons(deal, event);
        withinLimit(deal, event, user_id ?? '', limitOf(deal));
        return;
      }
      case 'checkout-sold.v1':
      case 'resale-sold.v1': {
        const { user } = close(deal, event, event.type === 'resale-sold.v1' ? data.resale_id : data.purchase_id);
        sellOnce(deal, event);
        deal.sold += quantity;
        if (user !== undefined) deal.users.set(user, (deal.users.get(user) ?? 0) + quantity);
        return;
      }
      case 'checkout-undone.v1':
      case 'resale-undone.v1': {
        const { codes } = close(deal, event, event.type === 'resale-undone.v1' ? data.resale_id : data.purchase_id);
        for (const code of codes) deal.pool?.add(code);
        return;
      }
      case 'resale-started.v1':
        mustSell(deal, event);
        hold(deal, event, data.resale_id, {
          number,
          quantity,
          deadline: undefined,
          user: undefined,
          codes: takeCodes(deal, event),
        });
        this.#coupons(deal, event);
        return;
      case 'unit-returned.v1':
        this.#return(deal, event);
        return;
    }
  }

  #sell(deal: Deal, event: Recorded, user: string | null, most: number | null): void {
    const { quantity } = event.data as Data;
    sellOnce(deal, event);
    deal.sold += quantity;
    if (user !== null) deal.users.set(user, (deal.users.get(user) ?? 0) + quantity);
    this.#coupons(deal, event);
    withinLimit(deal, event, user ?? '', most);
  }

  /** Takes note of the coupons of a sale: one for each unit, each with a barcode of its own and the deal's next unit. */
  #coupons(deal: Deal, event: Recorded): void {
    const { coupons, quantity } = event.data as Data;
    if (coupons.length !== quantity)
      throw new Violation('a sale has a coupon for each unit', placeOf(event), `${coupons.length} for ${quantity}`);
    for (const { id, barcode, unit } of coupons) {
      if (unit !== deal.units)
        throw new Violation('a unit has one number', placeOf(event), `${unit}; expected ${deal.units}`);
      deal.units += 1;
      // A resale that is tried again under its reference has the same coupons again.
      const known = this.#barcodes.get(barcode);
      if (known !== undefined && known !== id) throw new Violation('barcodes are unique', placeOf(event), barcode);
      this.#barcodes.set(barcode, id);
      deal.coupons.set(id, unit);
    }
  }

  #return(deal: Deal, event: Recorded): void {
    const { coupon_id, unit, user_id } = event.data as Data;
    if (deal.returned.has(unit)) throw new Violation('a unit comes back once', placeOf(event), coupon_id);
    deal.returned.add(unit);
    deal.sold -= 1;
    if (deal.sold < 0) throw new Violation('only sold units come back', placeOf(event), `${deal.sold} are sold`);
    if (user_id !== null) deal.users.set(user_id, (deal.users.get(user_id) ?? 0) - 1);
  }
}

function newDeal(): Deal {
  return {
    terms: undefined,
    stock: null,
    sold: 0,
    held: new Map(),
    started: 0,
    sales: new Set(),
    units: 0,
    users: new Map(),
    coupons: new Map(),
    returned: new Set(),
    pool: undefined,
    codes: new Set(),
  };
}

function heldIn({ held }: Deal): number {
  let sum = 0;
  for (const { quantity } of held.values()) sum += quantity;
  return sum;
}

/** Codes that no sale has; those of open checkouts and resales count. */
function codesIn({ pool, held }: Deal): number | null {
  if (pool === undefined) return null;
  return pool.size + [...held.values()].reduce((sum, { codes }) => sum + codes.length, 0);
}

function hold(deal: Deal, event: Recorded, id: string, held: Held): void {
  if (held.number !== deal.started)
    throw new Violation('each start has the next number', placeOf(event), `${held.number}; expected ${deal.started}`);
  deal.started += 1;
  if (deal.held.has(id)) throw new Violation('units are held once', placeOf(event), id);
  deal.held.set(id, held);
}

function close(deal: Deal, event: Recorded, id: string): Held {
  const held = deal.held.get(id);
  if (held === undefined) throw new Violation('only held units are let go', placeOf(event), `${id} holds nothing`);
  const { quantity, number } = event.data as Data;
  if (number !== held.number)
    throw new Violation('what ends has its number', placeOf(event), `${number}; expected ${held.number}`);
  if (quantity !== held.quantity)
    throw new Violation('all held units are let go', placeOf(event), `${quantity} of ${held.quantity}`);
  deal.held.delete(id);
  return held;
}

/** A number is sold at most once, and never while it is open. */
function sellOnce(deal: Deal, event: Recorded): void {
  const { number } = event.data as Data;
  const isOpen = [...deal.held.values()].some((held) => held.number === number);
  if (isOpen || deal.sales.has(number)) throw new Violation('a number is sold once', placeOf(event), String(number));
  deal.sales.add(number);
}

/** Fresh units come from a deal that sells at that time, within one purchase's bounds, at the deal's price. */
function mustSell(deal: Deal, event: Recorded): void {
  const { terms } = deal;
  const { time } = event.metadata;
  const { quantity, price } = event.data as Data;
  if (terms?.on_sale !== true || time < terms.start_at || time >= terms.end_at)
    throw new Violation('only a deal on sale sells', placeOf(event), `at ${time}: ${JSON.stringify(terms)}`);
  const most = Math.min(MOST, terms.max_per_user ?? MOST);
  if (quantity < 1 || quantity > most)
    throw new Violation('a purchase is within its limit', placeOf(event), `${quantity} of at most ${most}`);
  // A claim has the price of its reservation.
  if (event.type !== 'units-sold.v1' && price !== terms.price)
    throw new Violation(
      'a sale has the price of its time',
      placeOf(event),
      `${price}, and the deal costs ${terms.price}`,
    );
}

/** The deal's present maximum for one user; null for none. */
function limitOf({ terms }: Deal): number | null {
  return terms?.max_per_user ?? null;
}

/** The larger of two limits; null is none. */
function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

/** @param most the maximum that counts: of a claimed hold the larger of two (ruling I4) */
function withinLimit(deal: Deal, event: Recorded, user: string, most: number | null): void {
  if (most === null) return;
  const open = [...deal.held.values()].reduce((sum, held) => sum + (held.user === user ? held.quantity : 0), 0);
  const has = (deal.users.get(user) ?? 0) + open;
  if (has > most)
    throw new Violation('a user has no more than one user may', placeOf(event), `${has} of at most ${most}`);
}

function placeOfCode({ revision, index }: { readonly revision: number; readonly index: number }): string {
  return `${revision}/${index}`;
}

/** Takes the codes of new coupons out of the pool. */
function takeCodes(deal: Deal, event: Recorded): readonly string[] {
  const codes: string[] = [];
  for (const { code } of (event.data as Data).coupons) {
    if (code === null) continue;
    const place = placeOfCode(code);
    if (deal.pool?.delete(place) !== true) throw new Violation('a code is given once', placeOf(event), place);
    codes.push(place);
  }
  return codes;
}
