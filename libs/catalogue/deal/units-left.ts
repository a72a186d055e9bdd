import type { Units } from '#purchasing/model';

/**
 * Units left to sell; null where they are unlimited (ruling B3). A pool of codes may have come after holds that outnumber it.
 * @param ranOut units of holds past their deadline that are not recorded as such yet
 */
export function unitsLeft(units: Units | null, ranOut = 0): number | null {
  if (units === null) return null;
  const held = Math.max(units.held - ranOut, 0);
  const inStock = units.stock === null ? null : units.stock - held - units.sold;
  const left = smaller(inStock, units.codes_left === null ? null : units.codes_left - held);
  return left === null ? null : Math.max(left, 0);
}

/** The smaller number; null is no bound. */
export function smaller(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}
