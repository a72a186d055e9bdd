import { List, Map, Set } from 'immutable';
import type { Instant } from '#kernel';
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
  ResaleClosed,
  ResaleStarted,
  ResaleTerms,
  SoldCoupon,
  Units,
  UnitsSold,
} from './inventory.events.js';
import type { SaleTerms } from './sale-terms.js';

/** Units held for a reservation until its deadline. */
export interface Hold {
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
export interface Checkout {
  readonly user_id: string;
  readonly quantity: number;
  /** Codes taken from the pool; they return if nothing is sold. */
  readonly codes: readonly CodeRun[];
}

/** The stock, holds and sales of one deal. The maps are persistent, so folding millions of sales stays cheap. */
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
  /** The buyer of each purchase. */
  readonly sales: Map<string, string>;
  readonly unitsOfUser: Map<string, number>;
  /** Open checkouts, by purchase. */
  readonly checkouts: Map<string, Checkout>;
  /** The open checkout of each user; a user has at most one (ruling D6). */
  readonly checkoutOfUser: Map<string, string>;
  /** Open resales, by their own id. */
  readonly resales: Map<string, ResaleTerms>;
  /** The ids of operators' changes of the stock. */
  readonly stockChanges: Set<string>;
  /** Coupons whose units returned to the stock. */
  readonly returned: Set<string>;
  /** Reservations and checkouts that ended without a sale, and closed resales: a repeat of their request starts nothing. */
  readonly ended: Set<string>;
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
  sales: Map(),
  unitsOfUser: Map(),
  checkouts: Map(),
  checkoutOfUser: Map(),
  resales: Map(),
  stockChanges: Set(),
  returned: Set(),
  ended: Set(),
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
  return (state.unitsOfUser.get(userId) ?? 0) + charging + heldBy(state, userId, now);
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
      return { ...state, stock, stockChanges: state.stockChanges.add(change_id) };
    }
    case 'codes-added.v1':
      return { ...state, codes: withCodes(state.codes, event.data) };
    case 'hold-placed.v1': {
      const { reservation_id, quantity, deadline, holder_id, max_per_user } = event.data;
      const { holdsOfUser } = state;
      return {
        ...state,
        ...counts(event.data),
        holds: state.holds.set(reservation_id, { quantity, deadline, holder_id, max_per_user }),
        holdsOfUser:
          holder_id === null ? holdsOfUser : holdsOfUser.update(holder_id, [], (own) => [...own, reservation_id]),
        queue: queuedIn(state.queue, { reservation_id, deadline }),
      };
    }
    case 'hold-released.v1':
    case 'hold-expired.v1': {
      const { reservation_id } = event.data;
      const ended = state.ended.add(reservation_id);
      return { ...state, ...counts(event.data), ...closed(state, reservation_id), ended };
    }
    case 'hold-claimed.v1':
      return { ...state, ...sold(state, event.data), ...closed(state, event.data.purchase_id) };
    case 'units-sold.v1':
      return { ...state, ...sold(state, event.data) };
    case 'checkout-started.v1':
      return { ...state, ...started(state, event.data) };
    case 'checkout-sold.v1': {
      const { purchase_id, user_id, quantity } = event.data;
      return {
        ...state,
        ...checkoutClosed(state, event.data, 'used'),
        sales: state.sales.set(purchase_id, user_id),
        unitsOfUser: state.unitsOfUser.update(user_id, 0, (units) => units + quantity),
      };
    }
    case 'checkout-undone.v1':
      return { ...state, ...checkoutClosed(state, event.data, 'back'), ended: state.ended.add(event.data.purchase_id) };
    case 'unit-returned.v1': {
      const { coupon_id, user_id } = event.data;
      const { unitsOfUser } = state;
      return {
        ...state,
        ...counts(event.data),
        returned: state.returned.add(coupon_id),
        unitsOfUser: user_id === null ? unitsOfUser : unitsOfUser.update(user_id, 0, (units) => units - 1),
      };
    }
    case 'resale-started.v1':
      return { ...state, ...resaleStarted(state, event.data) };
    case 'resale-sold.v1':
      return { ...state, ...resaleClosed(state, event.data, 'used') };
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
    sales: state.sales.asMutable(),
    unitsOfUser: state.unitsOfUser.asMutable(),
    checkouts: state.checkouts.asMutable(),
    checkoutOfUser: state.checkoutOfUser.asMutable(),
    resales: state.resales.asMutable(),
    stockChanges: state.stockChanges.asMutable(),
    returned: state.returned.asMutable(),
    ended: state.ended.asMutable(),
  };
}

/** An immutable copy of the state that `asMutable` returned. */
export function asImmutable(state: InventoryState): InventoryState {
  return {
    ...state,
    holds: state.holds.asImmutable(),
    holdsOfUser: state.holdsOfUser.asImmutable(),
    queue: state.queue.asImmutable(),
    sales: state.sales.asImmutable(),
    unitsOfUser: state.unitsOfUser.asImmutable(),
    checkouts: state.checkouts.asImmutable(),
    checkoutOfUser: state.checkoutOfUser.asImmutable(),
    resales: state.resales.asImmutable(),
    stockChanges: state.stockChanges.asImmutable(),
    returned: state.returned.asImmutable(),
    ended: state.ended.asImmutable(),
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
    sales: state.sales.set(sale.purchase_id, sale.user_id),
    unitsOfUser: state.unitsOfUser.update(sale.user_id, 0, (units) => units + sale.quantity),
    codes: codes && withUsed(withoutCodes(codes, taken), countOf(taken)),
  };
}

function started(state: InventoryState, checkout: CheckoutStarted): Partial<InventoryState> {
  const { purchase_id, user_id, quantity } = checkout;
  const taken = runsOf(codesIn(checkout.coupons));
  return {
    ...counts(checkout),
    checkouts: state.checkouts.set(purchase_id, { user_id, quantity, codes: taken }),
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
    checkouts: state.checkouts.delete(closed.purchase_id),
    checkoutOfUser: state.checkoutOfUser.delete(closed.user_id),
    codes: settled(state.codes, taken, codesAre),
  };
}

function resaleStarted(state: InventoryState, resale: ResaleStarted): Partial<InventoryState> {
  const { resale_id, quantity, price, deal, coupons, expires_at, expiration_days } = resale;
  const terms: ResaleTerms = { quantity, price, deal, coupons, expires_at, expiration_days };
  return {
    ...counts(resale),
    resales: state.resales.set(resale_id, terms),
    codes: state.codes && withoutCodes(state.codes, runsOf(codesIn(coupons))),
  };
}

function resaleClosed(state: InventoryState, resale: ResaleClosed, codesAre: 'used' | 'back'): Partial<InventoryState> {
  const { resale_id } = resale;
  const taken = runsOf(codesIn(state.resales.get(resale_id)?.coupons ?? []));
  return {
    ...counts(resale),
    resales: state.resales.delete(resale_id),
    ended: state.ended.add(resale_id),
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

function closed(state: InventoryState, reservation: string): Pick<InventoryState, 'holds' | 'holdsOfUser' | 'queue'> {
  const holdsOfUser = withoutHold(state, reservation);
  const holds = state.holds.delete(reservation);
  let { queue } = state;
  for (let first = queue.first(); first !== undefined && !holds.has(first.reservation_id); first = queue.first())
    queue = queue.shift();
  return { holds, holdsOfUser, queue };
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
