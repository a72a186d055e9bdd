import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { NumberBits } from './number-bits.js';
import { integer, objects, text } from './values.js';

export type StartKind = 'hold' | 'checkout' | 'resale';

/** A hold, a checkout or a resale that nothing has closed. */
export interface Start {
  readonly kind: StartKind;
  readonly event: ExportedEvent;
  readonly number: number;
  readonly quantity: number;
  /** The id of its reservation, purchase or resale. */
  readonly id: string;
}

/** The name of the id in the data of a start, and of what closes it. */
const ID_OF: Readonly<Record<StartKind, string>> = {
  hold: 'reservation_id',
  checkout: 'purchase_id',
  resale: 'resale_id',
};

/**
 * Checks that a deal numbers its starts and its units without gaps, and that each has one fate: a start ends once, and a unit is
 * sold to one coupon until it returns. It keeps what is open, and three bits for what is closed.
 */
export class Starts {
  /** By number. */
  readonly open = new Map<number, Start>();
  readonly #ended = new NumberBits();
  readonly #sold = new NumberBits();
  readonly #soldUnits = new NumberBits();
  #next = 0;
  #nextUnit = 0;

  constructor(private readonly faults: Faults) {}

  begin(event: ExportedEvent, kind: StartKind): Start {
    const { data } = event;
    const number = integer(data['number']);
    if (number !== this.#next) this.faults.add(event, 'numbers', 'its number is not the next one');
    this.#next = Math.max(this.#next, number) + 1;
    const start = { kind, event, number, quantity: integer(data['quantity']), id: text(data[ID_OF[kind]]) };
    this.open.set(number, start);
    return start;
  }

  /** Ends a start. @returns undefined if it is not open */
  end(event: ExportedEvent, kind: StartKind, isSold: boolean): Start | undefined {
    const number = integer(event.data['number']);
    const start = this.open.get(number);
    if (start?.kind !== kind) {
      this.faults.add(event, 'numbers', `it ends a ${kind} that is not open`);
      return undefined;
    }
    this.open.delete(number);
    (isSold ? this.#sold : this.#ended).add(number);
    const id = event.type === 'hold-claimed.v1' ? event.data['purchase_id'] : event.data[ID_OF[kind]];
    if (id !== start.id) this.faults.add(event, 'numbers', `its id is not that of the ${kind} with its number`);
    if (integer(event.data['quantity']) !== start.quantity)
      this.faults.add(event, 'numbers', `its quantity is not that of the ${kind} with its number`);
    return start;
  }

  /** New units are sold for a hold that has ended. */
  sellAgain(event: ExportedEvent): void {
    const number = integer(event.data['number']);
    if (!this.#ended.has(number) || this.#sold.has(number))
      this.faults.add(event, 'numbers', 'it sells for a hold that has not ended, or was sold');
    this.#sold.add(number);
  }

  /** The units of an event have the next numbers, one for each coupon. */
  number(event: ExportedEvent): void {
    const coupons = objects(event.data['coupons']);
    if (coupons.length !== integer(event.data['quantity']))
      this.faults.add(event, 'coupons', 'it does not have one coupon for each unit');
    for (const { unit } of coupons) {
      if (unit !== this.#nextUnit)
        this.faults.add(event, 'numbers', 'a unit does not have the next number: it was given before, or left out');
      this.#nextUnit = Math.max(this.#nextUnit, integer(unit)) + 1;
    }
  }

  /** The units of these coupons are sold. */
  sell(event: ExportedEvent, coupons: unknown): void {
    for (const { unit } of objects(coupons)) {
      const number = integer(unit);
      if (this.#soldUnits.has(number)) this.faults.add(event, 'numbers', 'a unit is sold that was sold before');
      this.#soldUnits.add(number);
    }
  }

  /** A unit returns. @returns its number */
  giveBack(event: ExportedEvent): number {
    const unit = integer(event.data['unit']);
    if (!this.#soldUnits.has(unit))
      this.faults.add(event, 'numbers', 'it returns a unit that is not sold, or has returned');
    this.#soldUnits.delete(unit);
    return unit;
  }
}
