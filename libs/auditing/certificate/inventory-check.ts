import { SECOND } from '#kernel';
import { CodeCheck } from './code-check.js';
import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { checkDecides } from './follows.js';
import { ReturnsDue } from './returns-due.js';
import { Starts, type Start, type StartKind } from './starts.js';
import type { SaleKind, Totals } from './totals.js';
import { maxOf, type TermsCheck } from './terms-check.js';
import { UnitsCount } from './units-count.js';
import { HOLD_LASTS, UserLimits } from './user-limits.js';
import { instant, integer, objects, text } from './values.js';

/** A hold with a deadline further away than this ends at once: it came from a clock that was ahead. */
const LONGEST_HOLD = HOLD_LASTS + 10 * SECOND;

/** What an event of the inventory closes, and so which reservation, purchase and coupons belong to it. */
export interface Closing {
  /** Undefined if the event closes something that is not open; of new units for an old hold it is not here. */
  readonly start: Start | undefined;
  /** Null if it sells nothing. */
  readonly sale: SaleKind | null;
}

/** Checks the events of a deal's inventory, in order, by themselves. */
export class InventoryCheck {
  readonly starts: Starts;
  readonly units: UnitsCount;
  readonly codes: CodeCheck;
  readonly limits: UserLimits;
  readonly returns: ReturnsDue;

  constructor(
    private readonly faults: Faults,
    private readonly terms: TermsCheck,
    private readonly totals: Totals,
  ) {
    this.starts = new Starts(faults);
    this.units = new UnitsCount(faults);
    this.codes = new CodeCheck(faults);
    this.limits = new UserLimits(faults);
    this.returns = new ReturnsDue(faults);
  }

  /** @returns what it closes, if it closes something */
  take(event: ExportedEvent): Closing | undefined {
    const { units, terms } = this;
    switch (event.type) {
      case 'terms-set.v1':
        terms.set(event);
        return undefined;
      case 'stock-set.v1':
        checkDecides(event, this.faults);
        units.stock = maxOf(event.data['stock']);
        units.compare(event);
        return undefined;
      case 'codes-added.v1':
        checkDecides(event, this.faults);
        units.unsold = (units.unsold ?? 0) + this.codes.add(event);
        units.compare(event);
        return undefined;
      case 'hold-placed.v1':
        this.#hold(event);
        return undefined;
      case 'checkout-started.v1':
        this.#start(event, 'checkout');
        return undefined;
      case 'resale-started.v1':
        this.#start(event, 'resale');
        return undefined;
      case 'hold-released.v1':
      case 'hold-expired.v1':
        return this.#endHold(event);
      case 'hold-claimed.v1':
        return this.#claim(event);
      case 'units-sold.v1':
        return this.#sellAgain(event);
      case 'checkout-sold.v1':
        return this.#end(event, 'checkout', 'by card');
      case 'checkout-undone.v1':
        return this.#end(event, 'checkout', null);
      case 'resale-sold.v1':
        return this.#end(event, 'resale', 'by resellers');
      case 'resale-undone.v1':
        return this.#end(event, 'resale', null);
      case 'unit-returned.v1':
        this.#giveBack(event);
        return undefined;
      default:
        this.faults.add(event, 'order', 'no event of an inventory has its type');
        return undefined;
    }
  }

  #hold(event: ExportedEvent): void {
    const { units, terms, limits, faults } = this;
    checkDecides(event, faults);
    const { max_per_user, deadline, holder_id } = event.data;
    const { quantity } = this.starts.begin(event, 'hold');
    terms.start(event);
    if (maxOf(max_per_user) !== terms.max) faults.add(event, 'terms', 'its maximum is not that of the terms');
    if (instant(deadline) !== instant(event.time) + HOLD_LASTS)
      faults.add(event, 'time', 'its deadline is not 300 seconds later');
    limits.checkQuantity(event, terms.max);
    if (text(holder_id) !== '') limits.hold(event, text(holder_id), terms.max);
    units.move({ held: quantity });
    units.compare(event);
  }

  #start(event: ExportedEvent, kind: 'checkout' | 'resale'): void {
    const { units, terms, limits } = this;
    checkDecides(event, this.faults);
    const { quantity } = this.starts.begin(event, kind);
    this.starts.number(event);
    terms.start(event);
    terms.expiry(event);
    if (kind === 'checkout') limits.startCharge(event, terms.max);
    else limits.checkQuantity(event, terms.max);
    this.codes.give(event);
    units.move({ held: quantity });
    units.compare(event);
  }

  #endHold(event: ExportedEvent): Closing {
    const { units, totals, faults } = this;
    checkDecides(event, faults);
    const start = this.#ended(event, 'hold', false);
    if (start !== undefined) {
      const [now, deadline] = [instant(event.time), instant(start.event.data['deadline'])];
      const isOver = now >= deadline;
      if (event.type === 'hold-released.v1') {
        totals.released += start.quantity;
        if (isOver) faults.add(event, 'time', 'the hold had run out before it was released');
      } else {
        totals.expired += start.quantity;
        if (!isOver && deadline <= now + LONGEST_HOLD) faults.add(event, 'time', 'the hold had not run out');
      }
    }
    units.compare(event);
    return { start, sale: null };
  }

  #claim(event: ExportedEvent): Closing {
    const { terms, faults } = this;
    checkDecides(event, faults);
    const start = this.#ended(event, 'hold', true);
    let { max } = terms;
    if (start !== undefined) {
      const { data } = start.event;
      const own = maxOf(data['max_per_user']);
      // The larger of two maxima, and none is the largest (ruling I4).
      max = max === null || own === null ? null : Math.max(max, own);
      if (instant(event.time) >= instant(data['deadline'])) faults.add(event, 'time', 'the hold had run out');
      if (text(data['holder_id']) !== '' && data['holder_id'] !== event.data['user_id'])
        faults.add(event, 'limits', 'it sells to another user than the one who holds the units');
    }
    this.#sell(event, max);
    return { start, sale: 'claims' };
  }

  #sellAgain(event: ExportedEvent): Closing {
    checkDecides(event, this.faults);
    this.starts.sellAgain(event);
    this.terms.sells(event);
    this.#sell(event, this.terms.max);
    return { start: undefined, sale: 'late claims' };
  }

  /** Sells the units of a reservation. */
  #sell(event: ExportedEvent, max: number | null): void {
    const { starts, units, limits } = this;
    this.terms.sale(event);
    limits.sell(event, max);
    starts.number(event);
    starts.sell(event, event.data['coupons']);
    const quantity = integer(event.data['quantity']);
    units.move({ sold: quantity });
    const before = units.unsold;
    const given = this.codes.give(event);
    if (before !== null) units.unsold = before - given;
    // The event counts a code for each unit, also where units that were held before the pool get none.
    units.compare(event, before === null ? null : before - quantity);
  }

  #end(event: ExportedEvent, kind: 'checkout' | 'resale', sale: SaleKind | null): Closing {
    const { units, starts, limits, totals } = this;
    const start = this.#ended(event, kind, sale !== null);
    if (start !== undefined) {
      const { quantity } = start;
      const { coupons, user_id } = start.event.data;
      if (kind === 'checkout') limits.endCharge(text(user_id), quantity, sale !== null);
      if (sale === null) {
        totals.undone += quantity;
        this.codes.takeBack(objects(coupons));
      } else {
        starts.sell(event, coupons);
        units.move({ sold: quantity });
        const given = objects(coupons).filter(({ code }) => code !== null && code !== undefined).length;
        if (units.unsold !== null) units.unsold -= given;
      }
    }
    units.compare(event);
    return { start, sale };
  }

  #ended(event: ExportedEvent, kind: StartKind, isSold: boolean): Start | undefined {
    const start = this.starts.end(event, kind, isSold);
    if (start === undefined) return undefined;
    this.units.move({ held: -start.quantity });
    const holder = text(start.event.data['holder_id']);
    if (kind === 'hold' && holder !== '') this.limits.letGo(holder, start.number);
    return start;
  }

  #giveBack(event: ExportedEvent): void {
    const { units, limits, totals } = this;
    const unit = this.starts.giveBack(event);
    this.returns.take(unit, event);
    const user = text(event.data['user_id']);
    if (user !== '') limits.giveBack(user);
    totals.returned += 1;
    units.move({ sold: -1 });
    units.compare(event);
  }
}
