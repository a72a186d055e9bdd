import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { integer, same } from './values.js';

/** The units of a deal, counted from what was held, sold and returned, and not from what the events say. */
export class UnitsCount {
  /** Null for unlimited. */
  stock: number | null = null;
  held = 0;
  sold = 0;
  /** Codes of the pool that no sale has used; null without one. */
  unsold: number | null = null;

  constructor(private readonly faults: Faults) {}

  /** Adds to what is held and sold. */
  move({ held = 0, sold = 0 }: { readonly held?: number; readonly sold?: number }): void {
    this.held += held;
    this.sold += sold;
  }

  /**
   * Compares the count with what an event says, and with the rule that a deal never sells more than it has (ruling D1).
   * @param left the codes that the event should say; those that are unsold by default
   */
  compare(event: ExportedEvent, left = this.unsold): void {
    const { stock, held, sold, faults } = this;
    const { data } = event;
    const differs = (name: string): void => faults.add(event, 'units', `${name} is not what the facts add up to`);
    if (!same(data['stock'], stock)) differs('stock');
    if (integer(data['held']) !== held) differs('held');
    if (integer(data['sold']) !== sold) differs('sold');
    if (!same(data['codes_left'], left === null ? null : Math.max(left, 0))) differs('codes_left');
    if (held < 0 || integer(data['held']) < 0) faults.add(event, 'units', 'held is below 0');
    if (sold < 0 || integer(data['sold']) < 0) faults.add(event, 'units', 'sold is below 0');
    if (stock !== null && held + sold > stock) faults.add(event, 'units', 'held and sold are more than the stock');
  }
}
