import { DomainError, LookAgain, MINUTE, SECOND, defineDecider, type Instant } from '#kernel';
import { TOKEN_HOLD_UNITS } from '#kernel/bounds';
import { closeCheckout, startCheckout, type CloseCheckout, type StartCheckout } from './checkout.rules.js';
import type { Looked } from '#kernel/collections';
import type { InventoryEvent, NewCoupon, Numbered, UnitsSold } from './inventory.events.js';
import {
  evolve,
  asImmutable,
  noInventory,
  asMutable,
  heldBy,
  unitsLeft,
  unitsOf,
  type InventoryState,
} from './inventory.state.js';
import { weigh } from './inventory.weight.js';
import { closeResale, startResale, type CloseResale, type StartResale } from './resale.rules.js';
import { inventoryParts } from './snapshot.rules.js';
import { vouchersExpireAt, type DealSummary, type SaleTerms } from './sale-terms.js';
import {
  closeHold,
  expire,
  freeUnits,
  inUnits,
  NOT_SOLD,
  refusal,
  sellingTerms,
  tooFew,
  unitsAfter,
  unitsFor,
  withUnits,
} from './units.js';

/** A reservation holds its units for exactly this time (interface 8, ruling D2). */
export const HOLD_FOR = 5 * MINUTE;
/** The longest time to a hold's deadline, with a margin for different clocks. A later deadline came from a clock ahead of ours. */
export const LONGEST_HOLD = HOLD_FOR + 10 * SECOND;

export interface PlaceHold extends Looked {
  readonly type: 'place-hold';
  readonly reservation_id: string;
  readonly partner_id: string;
  readonly quantity: number;
  /** The user whose access token asks; null for the partner itself (ruling I9). */
  readonly holder_id: string | null;
}

export interface Claim {
  readonly type: 'claim';
  /** The id of both the reservation and the purchase. */
  readonly purchase_id: string;
  /** From the reservation. */
  readonly number: number;
  readonly partner_id: string;
  readonly user_id: string;
  /** From the reservation: the user whose access token placed it, the only one whom it can be claimed for; or null. */
  readonly holder_id: string | null;
  readonly quantity: number;
  /** Cents per unit, from the reservation; so is the deal (ruling I2). */
  readonly price: number;
  readonly deal: DealSummary;
  readonly reserved_at: Instant;
  /** One per unit. */
  readonly coupons: readonly NewCoupon[];
}

export interface AddCodes {
  readonly type: 'add-codes';
  /** Codes that the pool has never had. */
  readonly codes: readonly string[];
  /** How many codes the pool had in all when the sender looked. */
  readonly seen: number;
}

export type InventoryCommand =
  | { readonly type: 'set-terms'; readonly terms: SaleTerms }
  | ({ readonly type: 'set-stock'; readonly units: number | null; readonly change_id: string } & Looked)
  | AddCodes
  | PlaceHold
  | Claim
  | ({ readonly type: 'release'; readonly reservation_id: string } & Numbered)
  | { readonly type: 'expire-hold'; readonly reservation_id: string }
  | StartCheckout
  | CloseCheckout
  | StartResale
  | CloseResale
  /** The unit of a cancelled coupon returns to the stock (rulings D12, D14). */
  | {
      readonly type: 'return-unit';
      readonly coupon_id: string;
      readonly unit: number;
      readonly purchase_id: string;
      /** Null for a coupon of a reseller. */
      readonly user_id: string | null;
    };

/**
 * Decides everything that a sale depends on, under one revision: it never holds and sells more than the stock, and never
 * sells more than `max_per_user` to one user (ruling D1), or than the maximum of the moment when a living hold was placed
 * (ruling I4).
 */
export const inventory = defineDecider<InventoryCommand, InventoryState, InventoryEvent>({
  category: 'inventory',
  initialState: noInventory,
  evolve,
  transient: { asMutable, asImmutable },
  weigh,
  snapshot: inventoryParts,
  decide(command, state, now, next) {
    switch (command.type) {
      case 'set-terms': {
        const known = state.terms?.deal.revision ?? -1;
        return command.terms.deal.revision <= known ? [] : [{ type: 'terms-set.v1', data: { terms: command.terms } }];
      }
      case 'set-stock':
        return setStock(state, command, now);
      case 'add-codes':
        return addCodes(state, command, next);
      case 'place-hold':
        return refuseTooLong(placeHold(state, command, now), now);
      case 'claim':
        return claim(state, command, now);
      case 'release':
        return release(state, command, now);
      case 'expire-hold': {
        const hold = state.holds.get(command.reservation_id);
        return hold === undefined || (now < hold.deadline && hold.deadline <= now + LONGEST_HOLD)
          ? []
          : [closeHold(state, 'hold-expired.v1', command.reservation_id, hold)];
      }
      case 'start-checkout':
        return startCheckout(state, command, now);
      case 'close-checkout':
        return closeCheckout(state, command);
      case 'start-resale':
        return startResale(state, command, now);
      case 'close-resale':
        return closeResale(state, command);
      case 'return-unit': {
        const { coupon_id, unit, purchase_id, user_id } = command;
        if (state.returned.has(unit)) return [];
        const units = unitsAfter({ ...state, sold: state.sold - 1 });
        return [{ type: 'unit-returned.v1', data: { coupon_id, unit, purchase_id, user_id, ...units } }];
      }
    }
  },
});

function setStock(
  state: InventoryState,
  command: Extract<InventoryCommand, { type: 'set-stock' }>,
  now: Instant,
): InventoryEvent[] {
  const { units: stock, change_id } = command;
  // A repeat of a request that broke off must not undo another operator's later change.
  if (stock === state.stock || state.recent.isRepeat(change_id, command)) return [];
  const { events, state: freed } = freeUnits(state, now, (each) => stock === null || stock >= each.held + each.sold);
  if (stock !== null && stock < freed.held + freed.sold) {
    throw new DomainError('stock_below_sold', 'is less than what is held and sold', {
      held: freed.held,
      sold: freed.sold,
    });
  }
  return [...events, { type: 'stock-set.v1', data: { ...unitsAfter({ ...freed, stock }), change_id } }];
}

/**
 * The state has no texts: whoever sends codes compares them with those in the stream.
 * @throws LookAgain if the pool has other codes by now than the sender has seen
 */
function addCodes(state: InventoryState, { codes, seen }: AddCodes, revision: number | undefined): InventoryEvent[] {
  const { added, last: previous, unsold } = state.codes ?? { added: 0, last: null, unsold: 0 };
  if (added !== seen) throw new LookAgain(`the pool has had ${added} codes, and not ${seen}`);
  const fresh = [...new Set(codes)];
  if (fresh.length === 0) return [];
  if (revision === undefined) throw new RangeError('codes can only be added at a known revision');
  const units = { ...unitsAfter(state), codes_left: unsold + fresh.length };
  return [{ type: 'codes-added.v1', data: { ...units, revision, previous, codes: fresh } }];
}

function placeHold(state: InventoryState, command: PlaceHold, now: Instant): InventoryEvent[] {
  const { reservation_id, partner_id, quantity, holder_id } = command;
  if (state.holds.has(reservation_id) || state.recent.isRepeat(reservation_id, command)) return [];
  const own = holder_id === null ? [] : overdueOf(state, holder_id, now);
  const taking = unitsFor(own.length === 0 ? state : expire(state, own).state, quantity, now);
  const { events, state: freed } = own.length === 0 ? taking : expire(state, [...own, ...taking.expired]);
  const { terms } = taking;
  if (holder_id !== null) withinTokenLimits(freed, { holder_id, quantity }, terms, now);
  const placed: InventoryEvent = {
    type: 'hold-placed.v1',
    data: {
      reservation_id,
      number: freed.next_number,
      partner_id,
      quantity,
      price: terms.price,
      deadline: now + HOLD_FOR,
      holder_id,
      max_per_user: terms.max_per_user,
      deal: terms.deal,
      ...unitsAfter({ ...freed, held: freed.held + quantity }),
    },
  };
  return [...events, placed];
}

/** The holds of a user's access tokens that ran out: they end before the next one, so that a user never has many. */
function overdueOf({ holds, holdsOfUser }: InventoryState, userId: string, now: Instant): readonly string[] {
  return (holdsOfUser.get(userId) ?? []).filter((each) => now >= (holds.get(each)?.deadline ?? 0));
}

/** Checks what a user may hold by access tokens, which cost them nothing (ruling I9). @throws DomainError cannot_fulfill */
function withinTokenLimits(
  state: InventoryState,
  { holder_id, quantity }: { readonly holder_id: string; readonly quantity: number },
  terms: SaleTerms,
  now: Instant,
): void {
  const holds = heldBy(state, holder_id, now);
  if (holds + quantity > TOKEN_HOLD_UNITS) {
    throw refusal(`a user may hold at most ${inUnits(TOKEN_HOLD_UNITS)} by access tokens, and holds ${holds} already`);
  }
  withinUserLimit(unitsOf(state, holder_id, now), quantity, terms.max_per_user);
}

/**
 * Checks what `placeHold` decided: `expire-hold` and the work list would end a longer hold at once.
 * @throws RangeError for a hold that is longer than `LONGEST_HOLD`
 */
export function refuseTooLong(events: InventoryEvent[], now: Instant): InventoryEvent[] {
  for (const event of events) {
    if (event.type !== 'hold-placed.v1' || event.data.deadline <= now + LONGEST_HOLD) continue;
    throw new RangeError(`a hold of ${event.data.deadline - now} ms is longer than LONGEST_HOLD (${LONGEST_HOLD} ms)`);
  }
  return events;
}

/**
 * Sells the units of an open hold. Without one, the same decision takes fresh units (ruling D3). What was claimed before leads
 * to no event; only the reservation knows for whom it was claimed.
 */
function claim(state: InventoryState, command: Claim, now: Instant): InventoryEvent[] {
  if (state.sold_numbers.has(command.number)) return [];
  if (command.holder_id !== null && command.holder_id !== command.user_id) {
    throw refusal('another user holds the reservation: claim it for the user whose access token placed it');
  }
  const hold = state.holds.get(command.purchase_id);
  if (hold !== undefined && now < hold.deadline) {
    if (state.terms === null) throw refusal(NOT_SOLD);
    const has = unitsOf(state, command.user_id, now) - (hold.holder_id === null ? 0 : hold.quantity);
    withinUserLimit(has, command.quantity, larger(hold.max_per_user, state.terms.max_per_user));
    const data = sale({ ...state, held: state.held - hold.quantity }, command, state.terms, now);
    return [{ type: 'hold-claimed.v1', data }];
  }
  const own = hold === undefined ? [] : [command.purchase_id];
  const { state: without } = expire(state, own);
  const terms = sellingTerms(without, now);
  withinUserLimit(unitsOf(without, command.user_id, now), command.quantity, terms.max_per_user);
  const others = freeUnits(without, now, (each) => unitsLeft(each) >= command.quantity).expired;
  const { events, state: freed } = expire(state, [...own, ...others]);
  if (unitsLeft(freed) < command.quantity) throw tooFew(unitsLeft(freed));
  return [...events, { type: 'units-sold.v1', data: sale(freed, command, terms, now) }];
}

/** Frees the units of a hold; a hold that ran out before gets its own event (ruling D4). */
function release(
  state: InventoryState,
  { reservation_id, number }: Extract<InventoryCommand, { type: 'release' }>,
  now: Instant,
): InventoryEvent[] {
  if (state.sold_numbers.has(number)) throw refusal('the reservation was claimed: its units are sold');
  const hold = state.holds.get(reservation_id);
  if (hold === undefined) return [];
  return [closeHold(state, now < hold.deadline ? 'hold-released.v1' : 'hold-expired.v1', reservation_id, hold)];
}

/** @throws DomainError cannot_fulfill for units beyond the most of one user */
function withinUserLimit(has: number, quantity: number, most: number | null): void {
  if (most !== null && has + quantity > most) {
    throw refusal(`the user may buy at most ${inUnits(most)}, and has ${has} already`);
  }
}

/** The larger of two limits; null is none. */
function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

function sale(state: InventoryState, command: Claim, terms: SaleTerms, now: Instant): UnitsSold {
  const { purchase_id, number, partner_id, user_id, quantity, price, deal, reserved_at, coupons } = command;
  return {
    purchase_id,
    number,
    partner_id,
    user_id,
    quantity,
    price,
    created_at: reserved_at,
    deal,
    coupons: withUnits(state, coupons),
    coupons_expire_at: vouchersExpireAt(terms, now),
    ...unitsAfter({ ...state, sold: state.sold + quantity }, quantity),
  };
}
