import type { InventoryState } from './inventory.state.js';

/** The bytes that a state without sales holds, and those of each entry of its maps, as measured. */
const EMPTY = 3_000;
const ID = 170;
const SALE = 230;
const USER = 130;
const OPEN = 420;

/** The bytes that a deal's state holds. */
export function weigh(state: InventoryState): number {
  const { sales, unitsOfUser, holds, holdsOfUser, checkouts, checkoutOfUser, resales } = state;
  const ids = state.ended.size + state.returned.size + state.stockChanges.size;
  const open = holds.size + holdsOfUser.size + checkouts.size + checkoutOfUser.size + resales.size;
  const runs = state.codes?.left.size ?? 0;
  return EMPTY + SALE * sales.size + USER * unitsOfUser.size + ID * (ids + runs) + OPEN * open;
}
