import { List, Map } from 'immutable';
import type { Instant } from '#kernel';
import { Bits, Counts, RecentIds } from '#kernel/collections';
import {
  countOf,
  runsOf,
  withCodes,
  withoutCodes,
  withReturned,
  withUsed,
  type CodePool,
  type CodeRun,
} from './code-pool.js';
import type {
  CodeAt,
  CheckoutClosed,
  CheckoutStarted,
  InventoryEvent,
  Numbered,
  ResaleClosed,
  ResaleStarted,
  ResaleTerms,
  SoldCoupon,
  Units,
  UnitsSold,
} from './inventory.events.js';
import type { SaleTerms } from './sale-terms.js';

/** Units held for a reservation until its deadline. */
export interface Hold extends Numbered {
  readonly quantity: number;
  readonly deadline: Instant;
  /** The user whose access token placed it; null for a hold of the partner's own. */
  readonly holder_id: string | null;
  /** The deal's maximum when it was placed; null for none. */
  readonly max_per_user: number | null;
}

/** A hold in the queue of deadlines. */
export interface Queued {
  readonly reservation_id: string;
  readonly deadline: Instant;
}

/** Units held while the gateway charges a card. */
export interface Checkout extends Numbered {
  readonly user_id: string;
  readonly quantity: number;
  /** Codes taken from the pool; they return if nothing is sold. */
  readonly codes: readonly CodeRun[];
}

/** Units held until a reseller's purchase has decided. */
export interface Resale extends Numbered {
  readonly terms: ResaleTerms;
}

/**
 * The stock, holds and sales of one deal. The maps have only what is open, so their size does not depend on what the deal has
 * sold. What is closed leaves a bit or two, and the ids of the last closings. The maps are persistent, so folding stays cheap.
 */
export interface InventoryState {
  readonly terms: SaleTerms | null;
  /** All units, sold ones included; null for unlimited. */
  readonly stock: number | null;
  readonly codes: CodePool | null;
  /** Units held by reservations, open checkouts and open resales. */
  readonly held: number;
  readonly sold: number;
  /** Open holds by reservation. */
  readonly holds: Map<string, Hold>;
  /** The open holds of each user who placed some with an access token, in the order in which they were placed. */
  readonly holdsOfUser: Map<string, readonly string[]>;
  /** Holds sorted by deadline, earliest first. The first is always open; later ones may be closed. */
  readonly queue: List<Queued>;
  /** The number of the next hold, checkout or resale. */
  readonly next_number: number;
  /** Those that were sold. A smaller one than the next that is neither sold nor open has ended without a sale. */
  readonly sold_numbers: Bits;
  /** The number of the next unit that is sold. */
  readonly next_unit: number;
  /** Units that returned to the stock. */
  readonly returned: Bits;
  /** What closed last: reservations, checkouts, resales, and operators' changes of the stock. */
  readonly recent: RecentIds;
  /** The units that each user has bought and not returned: a maximum may be set later. */
  readonly unitsOfUser: Counts;
  /** Open checkouts, by purchase. */
  readonly checkouts: Map<string, Checkout>;
  /** The open checkout of each user; a user has at most one (ruling D6). */
  readonly checkoutOfUser: Map<string, string>;
  /** Open resales, by their own id. */
  readonly resales: Map<string, Resale>;
}

export const noInventory: InventoryState = {
  terms: null,
  stock: null,
  codes: null,
  held: 0,
  sold: 0,
  holds: Map(),
  holdsOfUser: Map(),
  queue: List(),
  next_number: 0,
  sold_numbers: Bits.none,
  next_unit: 0,
  returned: Bits.none,
  recent: RecentIds.none,
  unitsOfUser: Counts.none,
  checkouts: Map(),
  checkoutOfUser: Map(),
  resales: Map(),
};

/** Units that can be held or sold now; Infinity for unlimited. With a pool, never more than its codes. */
export function unitsLeft(state: InventoryState): number {
  const inStock = state.stock === null ? Infinity : state.stock - state.held - state.sold;
  return state.codes === null ? inStock : Math.min(inStock, state.codes.unsold - state.held);
}

/** Units that a user has bought, has in an open checkout, or holds by access tokens now (ruling I9). */
export function unitsOf(state: InventoryState, userId: string, now: Instant): number {
  const open = state.checkoutOfUser.get(userId);
  const charging = open === undefined ? 0 : (state.checkouts.get(open)?.quantity ?? 0);
  return state.unitsOfUser.get(userId) + charging + heldBy(state, userId, now);
}

/** Units that a user holds by access tokens now. A hold past its deadline does not count. */
export function heldBy(state: InventoryState, userId: string, now: Instant): number {
  return (state.holdsOfUser.get(userId) ?? []).reduce((units, each) => {
    const hold = state.holds.get(each);
    return hold === undefined || now >= hold.deadline ? units : units + hold.quantity;
  }, 0);
}

export function evolve(state: InventoryState, event: InventoryEvent): InventoryState {
  switch (event.type) {
    case 'terms-set.v1':
      return { ...state, terms: event.data.terms };
    case 'stock-set.v1': {
      const { stock, change_id } = event.data;
      return { ...state, stock, recent: state.recent.with(change_id) };
    }
    case 'codes-added.v1':
      return { ...state, codes: withCodes(state.codes, event.data) };
    case 'hold-placed.v1': {
      const { reservation_id, number, quantity, deadline, holder_id, max_per_user } = event.data;
      const { holdsOfUser } = state;
      return {
        ...state,
        ...counts(event.data),
        next_number: number + 1,
        holds: state.holds.set(reservation_id, { number, quantity, deadline, holder_id, max_per_user }),
        holdsOfUser:
          holder_id === null ? holdsOfUser : holdsOfUser.update(holder_id, [], (own) => [...own, reservation_id]),
        queue: queuedIn(state.queue, { reservation_id, deadline }),
      };
    }
    case 'hold-released.v1':
    case 'hold-expired.v1': {
      const { reservation_id } = event.data;
      return { ...state, ...counts(event.data), ...closed(state, reservation_id) };
    }
    case 'hold-claimed.v1':
    case 'units-sold.v1':
      return { ...state, ...sold(state, event.data), ...closed(state, event.data.purchase_id) };
    case 'checkout-started.v1':
      return { ...state, ...started(state, event.data) };
    case 'checkout-sold.v1': {
      const { number, user_id, quantity } = event.data;
      return {
        ...state,
        ...checkoutClosed(state, event.data, 'used'),
        sold_numbers: state.sold_numbers.with(number),
        unitsOfUser: state.unitsOfUser.plus(user_id, quantity),
      };
    }
    case 'checkout-undone.v1':
      return { ...state, ...checkoutClosed(state, event.data, 'back') };
    case 'unit-returned.v1': {
      const { unit, user_id } = event.data;
      const { unitsOfUser } = state;
      return {
        ...state,
        ...counts(event.data),
        returned: state.returned.with(unit),
        unitsOfUser: user_id === null ? unitsOfUser : unitsOfUser.plus(user_id, -1),
      };
    }
    case 'resale-started.v1':
      return { ...state, ...resaleStarted(state, event.data) };
    case 'resale-sold.v1':
      return {
        ...state,
        ...resaleClosed(state, event.data, 'used'),
        sold_numbers: state.sold_numbers.with(event.data.number),
      };
    case 'resale-undone.v1':
      return { ...state, ...resaleClosed(state, event.data, 'back') };
  }
}

/** A copy of the state whose maps `evolve` changes in place. */
export function asMutable(state: InventoryState): InventoryState {
  return {
    ...state,
    holds: state.holds.asMutable(),
    holdsOfUser: state.holdsOfUser.asMutable(),
    queue: state.queue.asMutable(),
    checkouts: state.checkouts.asMutable(),
    checkoutOfUser: state.checkoutOfUser.asMutable(),
    resales: state.resales.asMutable(),
  };
}

/** An immutable copy of the state that `asMutable` returned. */
export function asImmutable(state: InventoryState): InventoryState {
  return {
    ...state,
    holds: state.holds.asImmutable(),
    holdsOfUser: state.holdsOfUser.asImmutable(),
    queue: state.queue.asImmutable(),
    checkouts: state.checkouts.asImmutable(),
    checkoutOfUser: state.checkoutOfUser.asImmutable(),
    resales: state.resales.asImmutable(),
  };
}

function counts({ held, sold: units }: Units): Pick<InventoryState, 'held' | 'sold'> {
  return { held, sold: units };
}

function sold(state: InventoryState, sale: UnitsSold): Partial<InventoryState> {
  const { codes } = state;
  const taken = runsOf(codesIn(sale.coupons));
  return {
    ...counts(sale),
    sold_numbers: state.sold_numbers.with(sale.number),
    next_unit: state.next_unit + sale.quantity,
    unitsOfUser: state.unitsOfUser.plus(sale.user_id, sale.quantity),
    codes: codes && withUsed(withoutCodes(codes, taken), countOf(taken)),
  };
}

function started(state: InventoryState, checkout: CheckoutStarted): Partial<InventoryState> {
  const { purchase_id, number, user_id, quantity } = checkout;
  const taken = runsOf(codesIn(checkout.coupons));
  return {
    ...counts(checkout),
    next_number: number + 1,
    next_unit: state.next_unit + quantity,
    checkouts: state.checkouts.set(purchase_id, { number, user_id, quantity, codes: taken }),
    checkoutOfUser: state.checkoutOfUser.set(user_id, purchase_id),
    codes: state.codes && withoutCodes(state.codes, taken),
  };
}

function checkoutClosed(
  state: InventoryState,
  closed: CheckoutClosed,
  codesAre: 'used' | 'back',
): Partial<InventoryState> {
  const taken = state.checkouts.get(closed.purchase_id)?.codes ?? [];
  return {
    ...counts(closed),
    recent: state.recent.with(closed.purchase_id),
    checkouts: state.checkouts.delete(closed.purchase_id),
    checkoutOfUser: state.checkoutOfUser.delete(closed.user_id),
    codes: settled(state.codes, taken, codesAre),
  };
}

function resaleStarted(state: InventoryState, resale: ResaleStarted): Partial<InventoryState> {
  const { resale_id, number, quantity, price, deal, coupons, expires_at, expiration_days } = resale;
  const terms: ResaleTerms = { quantity, price, deal, coupons, expires_at, expiration_days };
  return {
    ...counts(resale),
    next_number: number + 1,
    next_unit: state.next_unit + quantity,
    resales: state.resales.set(resale_id, { number, terms }),
    codes: state.codes && withoutCodes(state.codes, runsOf(codesIn(coupons))),
  };
}

function resaleClosed(state: InventoryState, resale: ResaleClosed, codesAre: 'used' | 'back'): Partial<InventoryState> {
  const { resale_id } = resale;
  const taken = runsOf(codesIn(state.resales.get(resale_id)?.terms.coupons ?? []));
  return {
    ...counts(resale),
    resales: state.resales.delete(resale_id),
    recent: state.recent.with(resale_id),
    codes: settled(state.codes, taken, codesAre),
  };
}

/** The redemption codes of these coupons. */
export function codesIn(coupons: readonly SoldCoupon[]): readonly CodeAt[] {
  return coupons.flatMap(({ code }) => code ?? []);
}

/** The pool after an open checkout or resale has used these codes, or has given them back. */
function settled(codes: CodePool | null, taken: readonly CodeRun[], are: 'used' | 'back'): CodePool | null {
  return codes && (are === 'back' ? withReturned(codes, taken) : withUsed(codes, countOf(taken)));
}

/** The state after a reservation has closed. Its hold may have ended before. */
function closed(
  state: InventoryState,
  reservation: string,
): Pick<InventoryState, 'holds' | 'holdsOfUser' | 'queue' | 'recent'> {
  const holdsOfUser = withoutHold(state, reservation);
  const holds = state.holds.delete(reservation);
  let { queue } = state;
  for (let first = queue.first(); first !== undefined && !holds.has(first.reservation_id); first = queue.first())
    queue = queue.shift();
  return { holds, holdsOfUser, queue, recent: state.recent.with(reservation) };
}

/** The users' open holds without this one; a user without any has no entry. */
function withoutHold({ holds, holdsOfUser }: InventoryState, reservation: string): InventoryState['holdsOfUser'] {
  const holder = holds.get(reservation)?.holder_id ?? null;
  if (holder === null) return holdsOfUser;
  const others = (holdsOfUser.get(holder) ?? []).filter((each) => each !== reservation);
  return others.length === 0 ? holdsOfUser.delete(holder) : holdsOfUser.set(holder, others);
}

/** Adds a hold in the order of deadlines: at the end, unless clocks differ or earlier holds last longer. */
function queuedIn(queue: List<Queued>, hold: Queued): List<Queued> {
  let before = queue;
  const later: Queued[] = [];
  for (let last = before.last(); last !== undefined && last.deadline > hold.deadline; last = before.last()) {
    later.push(last);
    before = before.pop();
  }
  return later.reduceRight((all, each) => all.push(each), before.push(hold));
}
