import { MINUTE, type Instant } from '#kernel';
import { TOKEN_HOLD_UNITS } from '#kernel/bounds';
import { type ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { Tally } from './tally.js';
import { instant, integer, text } from './values.js';

/** A hold lasts for this time (ruling D2). */
export const HOLD_LASTS = 5 * MINUTE;
/** The most units of one purchase (ruling D2). */
const MOST_UNITS = 1_000;

/** An open hold of a user's access tokens. */
interface TokenHold {
  readonly number: number;
  readonly quantity: number;
  readonly deadline: Instant;
}

/** Checks that nobody gets more units than the deal allows (rulings D1, I4, I9). */
export class UserLimits {
  /** The units that each user has bought and not returned. */
  readonly #bought = new Tally();
  readonly #charging = new Map<string, number>();
  readonly #held = new Map<string, readonly TokenHold[]>();
  #most = 0;

  constructor(private readonly faults: Faults) {}

  /** How many users have bought something. */
  get users(): number {
    return this.#bought.size;
  }

  /** The most units that one user has had at one time. */
  get most(): number {
    return this.#most;
  }

  /** A sale to somebody whom the inventory does not know: a hold or a resale. */
  checkQuantity(event: ExportedEvent, max: number | null): void {
    const quantity = integer(event.data['quantity']);
    if (quantity < 1 || quantity > Math.min(max ?? MOST_UNITS, MOST_UNITS))
      this.faults.add(event, 'limits', 'one buyer may not have so many units');
  }

  /** A hold that a user's access token places. */
  hold(event: ExportedEvent, holder: string, max: number | null): void {
    const { number, quantity, deadline } = event.data;
    const units = integer(quantity);
    const now = instant(event.time);
    if (this.#heldBy(holder, now) + units > TOKEN_HOLD_UNITS)
      this.faults.add(event, 'limits', `a user holds more than ${TOKEN_HOLD_UNITS} units by access tokens`);
    this.#check(event, holder, units, max);
    const hold = { number: integer(number), quantity: units, deadline: instant(deadline) };
    this.#held.set(holder, [...(this.#held.get(holder) ?? []), hold]);
  }

  /** A hold of a user's access tokens is over. */
  letGo(holder: string, number: number): void {
    const others = (this.#held.get(holder) ?? []).filter((each) => each.number !== number);
    if (others.length === 0) this.#held.delete(holder);
    else this.#held.set(holder, others);
  }

  /** A sale to a user. */
  sell(event: ExportedEvent, max: number | null): void {
    const user = text(event.data['user_id']);
    const quantity = integer(event.data['quantity']);
    this.#check(event, user, quantity, max);
    this.#add(user, quantity);
  }

  startCharge(event: ExportedEvent, max: number | null): void {
    const user = text(event.data['user_id']);
    const quantity = integer(event.data['quantity']);
    this.checkQuantity(event, max);
    this.#check(event, user, quantity, max);
    if (this.#charging.has(user)) this.faults.add(event, 'limits', 'another purchase of the user is being charged');
    this.#charging.set(user, quantity);
  }

  /** The charge of these units has an outcome. */
  endCharge(user: string, quantity: number, isSold: boolean): void {
    this.#charging.delete(user);
    if (isSold) this.#add(user, quantity);
  }

  /** A unit of a user has returned. */
  giveBack(user: string): void {
    this.#bought.add(user, -1);
  }

  #check(event: ExportedEvent, user: string, quantity: number, max: number | null): void {
    if (max === null) return;
    const now = instant(event.time);
    const has = this.#bought.count(user) + (this.#charging.get(user) ?? 0) + this.#heldBy(user, now);
    if (has + quantity > max) this.faults.add(event, 'limits', 'a user has more units than the deal allows');
  }

  #heldBy(user: string, now: Instant): number {
    return (this.#held.get(user) ?? []).reduce(
      (sum, { quantity, deadline }) => sum + (now < deadline ? quantity : 0),
      0,
    );
  }

  #add(user: string, quantity: number): void {
    this.#most = Math.max(this.#most, this.#bought.add(user, quantity));
  }
}
