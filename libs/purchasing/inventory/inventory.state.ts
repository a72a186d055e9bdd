import { List, Map, Set } from 'immutable';
import type { Instant } from '#kernel';
import type { InventoryEvent, Units, UnitsSold } from './inventory.events.js';
import type { SaleTerms } from './sale-terms.js';

/** Units that are kept for a reservation until its deadline. */
export interface Hold {
  readonly quantity: number;
  readonly deadline: Instant;
}

/** Redemption codes: each unit takes one in its sale (ruling D10). */
export interface CodePool {
  readonly known: Set<string>;
  readonly left: List<string>;
}

/** What one deal has, holds and has sold. The maps are persistent: folding millions of sales stays cheap. */
export interface InventoryState {
  readonly terms: SaleTerms | null;
  /** All units ever, sold ones included; null = unlimited. */
  readonly stock: number | null;
  readonly codes: CodePool | null;
  readonly held: number;
  readonly sold: number;
  /** Open holds by reservation; closed ones are forgotten. */
  readonly holds: Map<string, Hold>;
  /** Reservations by deadline, oldest first; the first one is always open, others may be closed by now. */
  readonly queue: List<string>;
  /** The buyer of each purchase. */
  readonly sales: Map<string, string>;
  readonly unitsOfUser: Map<string, number>;
}

export const noInventory: InventoryState = {
  terms: null,
  stock: null,
  codes: null,
  held: 0,
  sold: 0,
  holds: Map(),
  queue: List(),
  sales: Map(),
  unitsOfUser: Map(),
};

/** Units that can be held or sold now; Infinity when unlimited. A pool's units are never more than its codes. */
export function unitsLeft(state: InventoryState): number {
  const inStock = state.stock === null ? Infinity : state.stock - state.held - state.sold;
  return state.codes === null ? inStock : Math.min(inStock, state.codes.left.size - state.held);
}

export function evolve(state: InventoryState, event: InventoryEvent): InventoryState {
  switch (event.type) {
    case 'terms-set.v1':
      return { ...state, terms: event.data.terms };
    case 'stock-set.v1':
      return { ...state, stock: event.data.stock };
    case 'codes-added.v1': {
      const { known, left } = state.codes ?? { known: Set<string>(), left: List<string>() };
      return { ...state, codes: { known: known.union(event.data.codes), left: left.concat(event.data.codes) } };
    }
    case 'hold-placed.v1': {
      const { reservation_id, quantity, deadline } = event.data;
      const holds = state.holds.set(reservation_id, { quantity, deadline });
      return { ...state, ...counts(event.data), holds, queue: state.queue.push(reservation_id) };
    }
    case 'hold-released.v1':
    case 'hold-expired.v1':
      return { ...state, ...counts(event.data), ...closed(state, event.data.reservation_id) };
    case 'hold-claimed.v1':
      return { ...state, ...sold(state, event.data), ...closed(state, event.data.purchase_id) };
    case 'units-sold.v1':
      return { ...state, ...sold(state, event.data) };
  }
}

/** A copy of the state whose maps `evolve` changes in place. */
export function thawed(state: InventoryState): InventoryState {
  const { codes } = state;
  return {
    ...state,
    holds: state.holds.asMutable(),
    queue: state.queue.asMutable(),
    sales: state.sales.asMutable(),
    unitsOfUser: state.unitsOfUser.asMutable(),
    codes: codes && { known: codes.known.asMutable(), left: codes.left.asMutable() },
  };
}

/** The state that `thawed` began, as one that nobody changes any more. */
export function frozen(state: InventoryState): InventoryState {
  const { codes } = state;
  return {
    ...state,
    holds: state.holds.asImmutable(),
    queue: state.queue.asImmutable(),
    sales: state.sales.asImmutable(),
    unitsOfUser: state.unitsOfUser.asImmutable(),
    codes: codes && { known: codes.known.asImmutable(), left: codes.left.asImmutable() },
  };
}

function counts({ held, sold: units }: Units): Pick<InventoryState, 'held' | 'sold'> {
  return { held, sold: units };
}

function sold(state: InventoryState, sale: UnitsSold): Partial<InventoryState> {
  const { codes } = state;
  return {
    ...counts(sale),
    sales: state.sales.set(sale.purchase_id, sale.user_id),
    unitsOfUser: state.unitsOfUser.update(sale.user_id, 0, (units) => units + sale.quantity),
    codes: codes === null ? null : { known: codes.known, left: codes.left.skip(sale.quantity) },
  };
}

function closed(state: InventoryState, reservation: string): Pick<InventoryState, 'holds' | 'queue'> {
  const holds = state.holds.delete(reservation);
  let { queue } = state;
  for (let first = queue.first(); first !== undefined && !holds.has(first); first = queue.first())
    queue = queue.shift();
  return { holds, queue };
}
