import { DomainError, utcTime, type Instant } from '#kernel';
import { UNITS } from '#kernel/bounds';
import { nextCodes } from './code-pool.js';
import type { InventoryEvent, NewCoupon, SoldCoupon, Units } from './inventory.events.js';
import { evolve, unitsLeft, type Hold, type InventoryState } from './inventory.state.js';
import { sellsAt, type SaleTerms } from './sale-terms.js';

/** The most units in one purchase (ruling D2). */
export const [, MAX_QUANTITY] = UNITS;

/** The terms of a deal that sells at `now`. @throws DomainError deal_not_found | cannot_fulfill */
export function sellingTerms(state: InventoryState, now: Instant): SaleTerms {
  if (state.terms === null) throw new DomainError('deal_not_found', 'Unable to find');
  if (!sellsAt(state.terms, now)) throw notSold(state.terms, now);
  return state.terms;
}

/** Units that a buyer without a sale limit of their own may take, and what frees them. */
export interface Taking extends Expired {
  readonly terms: SaleTerms;
}

/**
 * Checks that a deal sells so many units to somebody whom the inventory does not know: `max_per_user` bounds the quantity.
 * @throws DomainError deal_not_found | cannot_fulfill
 */
export function unitsFor(state: InventoryState, quantity: number, now: Instant): Taking {
  const terms = sellingTerms(state, now);
  if (quantity < 1) throw refusal('at least one unit must be bought');
  const most = Math.min(MAX_QUANTITY, terms.max_per_user ?? MAX_QUANTITY);
  if (quantity > most) throw refusal(`one buyer may buy at most ${inUnits(most)}`);
  const freed = freeUnits(state, now, (each) => unitsLeft(each) >= quantity);
  if (unitsLeft(freed.state) < quantity) throw tooFew(unitsLeft(freed.state));
  return { terms, ...freed };
}

/** The result of expiring holds. */
export interface Expired {
  readonly expired: readonly string[];
  readonly events: readonly InventoryEvent[];
  readonly state: InventoryState;
}

/** Expires holds past their deadline, earliest first, until `enough` is true. */
export function freeUnits(state: InventoryState, now: Instant, enough: (state: InventoryState) => boolean): Expired {
  const expired: string[] = [];
  const events: InventoryEvent[] = [];
  let freed = state;
  while (!enough(freed)) {
    const oldest = freed.queue.first()?.reservation_id;
    const hold = oldest === undefined ? undefined : freed.holds.get(oldest);
    if (oldest === undefined || hold === undefined || now < hold.deadline) break;
    const event = closeHold(freed, 'hold-expired.v1', oldest, hold);
    expired.push(oldest);
    events.push(event);
    freed = evolve(freed, event);
  }
  return { expired, events, state: freed };
}

/** Expires these holds, earliest first. */
export function expire(state: InventoryState, reservations: readonly string[]): Expired {
  const deadline = (reservation: string): Instant => state.holds.get(reservation)?.deadline ?? 0;
  const expired = reservations.toSorted((a, b) => deadline(a) - deadline(b));
  const events: InventoryEvent[] = [];
  let after = state;
  for (const reservation of expired) {
    const hold = after.holds.get(reservation);
    if (hold === undefined) continue;
    const event = closeHold(after, 'hold-expired.v1', reservation, hold);
    events.push(event);
    after = evolve(after, event);
  }
  return { expired, events, state: after };
}

export function closeHold(
  state: InventoryState,
  type: 'hold-released.v1' | 'hold-expired.v1',
  reservation_id: string,
  { number, quantity }: Hold,
): InventoryEvent {
  return { type, data: { reservation_id, number, quantity, ...unitsAfter({ ...state, held: state.held - quantity }) } };
}

/** The coupons of a sale with the deal's next units, and with the next redemption codes as far as they go. */
export function withUnits({ codes, next_unit }: InventoryState, coupons: readonly NewCoupon[]): SoldCoupon[] {
  const taken = nextCodes(codes, coupons.length);
  return coupons.map((coupon, index) => ({ ...coupon, unit: next_unit + index, code: taken[index] ?? null }));
}

/** The units of a state, for its event. */
export function unitsAfter(state: Pick<InventoryState, 'stock' | 'held' | 'sold' | 'codes'>, codesTaken = 0): Units {
  // Units held before the pool existed may outnumber its codes: the rest gets no code.
  const codes_left = state.codes === null ? null : Math.max(state.codes.unsold - codesTaken, 0);
  return { stock: state.stock, held: state.held, sold: state.sold, codes_left };
}

export function refusal(message: string, details: Readonly<Record<string, unknown>> = {}): DomainError {
  return new DomainError('cannot_fulfill', message, details);
}

/** The reason why a deal does not sell, from its terms. `addDealState` adds the workflow state. */
function notSold({ on_sale, start_at, end_at }: SaleTerms, now: Instant): DomainError {
  if (now >= end_at) return refusal(`${NOT_SOLD}: it ended at ${utcTime(end_at)}`);
  if (!on_sale) return refusal(NOT_SOLD, { off_sale: true });
  return refusal(`${NOT_SOLD} yet: it starts at ${utcTime(start_at)}`);
}

export const NOT_SOLD = 'the deal does not sell';

/** A number of units, as text for people. */
export function inUnits(count: number): string {
  return count === 1 ? '1 unit' : `${count} units`;
}

/** The refusal if fewer units are left than wanted. */
export function tooFew(left: number): DomainError {
  return refusal(`not enough units are left: ${left < 1 ? 'none' : left} available`);
}
