import type { InventoryState } from './inventory.state.js';

/** Bytes of an empty state with its terms. */
const EMPTY = 4_000;
// Bytes of one entry, measured after a forced collection: its ids, its value, and its part of the persistent maps.
const HOLD = 360;
const HOLD_OF_USER = 340;
const CHECKOUT = 400;
const RESALE = 480;
const COUPON = 120;
/** Some codes that stand one after another in one event. */
const RUN = 60;

/** About how many bytes a state holds. The time it takes grows only with the checkouts and resales that are open now. */
export function weigh(state: InventoryState): number {
  const { holds, holdsOfUser, checkouts, resales, codes } = state;
  const open = holds.size * HOLD + holdsOfUser.size * HOLD_OF_USER + checkouts.size * CHECKOUT + resales.size * RESALE;
  const taken = checkouts.reduce((sum, each) => sum + each.codes.length * RUN, 0);
  const coupons = resales.reduce((sum, { terms }) => sum + terms.coupons.length * COUPON, 0);
  const pool = (codes?.left.size ?? 0) * RUN;
  const closed = state.sold_numbers.bytes + state.returned.bytes + state.recent.bytes + state.unitsOfUser.bytes;
  return EMPTY + open + taken + coupons + pool + closed;
}
