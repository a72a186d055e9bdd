import type { Units } from '#purchasing/model';

/**
 * Units left to sell; null for unlimited (ruling B3). Never negative: a pool of codes may be smaller than older holds.
 * @param ranOut units of holds that ran out but have no event for it yet
 */
export function unitsLeft(units: Units | null, ranOut = 0): number | null {
  if (units === null) return null;
  const held = Math.max(units.held - ranOut, 0);
  const inStock = units.stock === null ? null : units.stock - held - units.sold;
  const left = smaller(inStock, units.codes_left === null ? null : units.codes_left - held);
  return left === null ? null : Math.max(left, 0);
}

/** Units that are held or sold beyond the stock: the decider sees to it that there are none. */
export function unitsOver(units: Units | null): number {
  return units === null || units.stock === null ? 0 : Math.max(0, units.held + units.sold - units.stock);
}

/** The smaller number; null stands for no limit. */
export function smaller(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}
