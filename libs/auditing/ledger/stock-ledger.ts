import type { Recorded } from '#kernel';
import { unitsAfterEvent } from '#purchasing';
import type { Units } from '#purchasing/model';

/** The difference between the units of a deal before and after an event. */
export interface UnitsChange {
  /** Null if the stock became unlimited, or was so and is not any more. */
  readonly stock: number | null;
  readonly held: number;
  readonly sold: number;
}

/** An event that changed the stock, or how many units are held or sold. */
export interface LedgerEntry {
  readonly event: Recorded;
  readonly change: UnitsChange;
  /** The units after it. */
  readonly units: Units;
}

/** The units of a deal without events: its first stock is a change from 0. */
export const NO_UNITS: Units = { stock: 0, held: 0, sold: 0, codes_left: null };

/** The events of an inventory that changed its units. Each event tells the units after it, so nothing is added up. */
export function entriesOf(events: readonly Recorded[], unitsBefore: Units): readonly LedgerEntry[] {
  let before = unitsBefore;
  return events.flatMap((event) => {
    const units = unitsAfterEvent(event);
    if (units === undefined) return [];
    const change = changeBetween(before, units);
    before = units;
    return change.stock === 0 && change.held === 0 && change.sold === 0 ? [] : [{ event, change, units }];
  });
}

function changeBetween(before: Units, after: Units): UnitsChange {
  return {
    stock: stockChange(before.stock, after.stock),
    held: after.held - before.held,
    sold: after.sold - before.sold,
  };
}

function stockChange(before: number | null, after: number | null): number | null {
  if (before === after) return 0;
  return before === null || after === null ? null : after - before;
}
