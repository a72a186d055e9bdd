import { hash } from 'node:crypto';
import { MINUTE, type Instant } from '#kernel';
import { inventory, type InventoryCommand, type InventoryEvent } from '#purchasing/model';
import type { Appends, Decisions } from './decisions.js';

/** What a deal has sold, and to how many. */
export interface History {
  readonly deal: string;
  readonly sales: number;
  /** Who buys again and again, in turn; as many as there are sales for a deal that sells one unit to each. */
  readonly buyers: number;
  readonly partner: string;
  /** The ids of users who buy; without them, ids of nobody do. */
  readonly users?: readonly string[] | undefined;
  /** When the first sale was. */
  readonly from: Instant;
  /** Milliseconds between two sales. */
  readonly every: number;
}

/** Of so many sales one comes with a hold that is released, and one with a hold that expires. */
const PER_ENDED = 10;
const HOLD_ENDS = 5 * MINUTE;

type HoldPlaced = Extract<InventoryEvent, { type: 'hold-placed.v1' }>['data'];

/** An id as the service makes it: the time, and what nobody can guess. */
function idOf(deal: string, kind: string, number: number, time: Instant): string {
  return time.toString(16).padStart(12, '0') + hash('sha256', `${deal} ${kind} ${number}`, 'hex').slice(0, 20);
}

/** The buyer with a number; their first purchase was at about `from`. */
export function buyerOf({ deal, from, users }: Pick<History, 'deal' | 'from' | 'users'>, number: number): string {
  return users?.[number % users.length] ?? idOf(deal, 'buyer', number, from);
}

/** A hold of one unit of a deal. */
export function placing(partner_id: string, reservation_id: string): InventoryCommand {
  return { type: 'place-hold', looked: Infinity, reservation_id, partner_id, quantity: 1, holder_id: null };
}

/** The claim of a hold of one unit, for a buyer. */
export function claiming(placed: HoldPlaced, user_id: string, reserved_at: Instant): InventoryCommand {
  const { reservation_id, number, partner_id, quantity, price, deal, holder_id } = placed;
  const digits = BigInt(`0x${hash('sha256', reservation_id, 'hex').slice(0, 12)}`) % 10n ** 12n;
  return {
    type: 'claim',
    purchase_id: reservation_id,
    number,
    partner_id,
    user_id,
    holder_id,
    quantity,
    price,
    deal,
    reserved_at,
    coupons: [{ id: idOf(reservation_id, 'coupon', 0, reserved_at), barcode: digits.toString().padStart(12, '0') }],
  };
}

/**
 * A deal's sales of one unit each, one after another; of each ten, one comes with a hold that its partner releases, and one with a
 * hold that expires. In the end no hold is open.
 */
export function* historyOf(decisions: Decisions, history: History): Generator<Appends> {
  const { deal, sales, buyers, partner, from, every } = history;
  const place = (kind: string, number: number, now: Instant): { appends: Appends; placed: HoldPlaced } => {
    const appends = decisions.decide(inventory, deal, placing(partner, idOf(deal, kind, number, now)), now);
    return { appends, placed: appends[0].events.at(-1)?.data as HoldPlaced };
  };
  const close = (command: InventoryCommand, now: Instant): Appends => {
    const appends = decisions.decide(inventory, deal, command, now);
    decisions.forget(appends);
    return appends;
  };
  const running: HoldPlaced[] = [];
  for (let number = 0; number < sales; number += 1) {
    const now = from + number * every;
    for (let first = running[0]; first !== undefined && first.deadline <= now; first = running[0]) {
      yield close({ type: 'expire-hold', reservation_id: first.reservation_id }, now);
      running.shift();
    }
    const { appends, placed } = place('sale', number, now);
    yield appends;
    yield close(claiming(placed, buyerOf(history, number % buyers), now), now);
    if (number % PER_ENDED === 0) {
      const released = place('released', number, now);
      yield released.appends;
      const { reservation_id, number: held } = released.placed;
      yield close({ type: 'release', reservation_id, number: held }, now);
    }
    if (number % PER_ENDED === PER_ENDED / 2) {
      const expiring = place('expiring', number, now);
      yield expiring.appends;
      running.push(expiring.placed);
    }
  }
  const after = from + sales * every + HOLD_ENDS;
  for (const { reservation_id } of running) yield close({ type: 'expire-hold', reservation_id }, after);
}
