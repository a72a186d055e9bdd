import type { Call } from './call.js';
import type { Prices, Sender } from './prices.js';
import { Shapes, type Shape } from './shapes.js';

/** The dearest request that a search found. */
export interface Dearest {
  readonly shape: Shape;
  /** Milliseconds of CPU, as the search saw it. */
  readonly cost: number;
}

/** How hard is searched. */
export interface Effort {
  /** Shapes that are tried. */
  readonly steps: number;
  /** Requests per shape. */
  readonly each: number;
  readonly random: () => number;
}

/** Of so many shapes that are tried, how many are new ones; the others are a step away from the dearest so far. */
const FRESH = 3;

/** Climbs towards the dearest request of a call: from some that are made by chance, each step keeps what costs more. */
export async function dearestOf(
  prices: Prices,
  { route, line, sample, names }: Call,
  sender: Sender,
  { steps, each, random }: Effort,
): Promise<Dearest> {
  const shapes = new Shapes(random, names);
  let dearest: Dearest = { shape: [], cost: await prices.of(route, line, sample, [], sender, each) };
  for (let step = 0; step < steps; step += 1) {
    const shape = step % FRESH === 0 ? shapes.fresh() : shapes.changed(dearest.shape);
    const cost = await prices.of(route, line, sample, shape, sender, each);
    if (cost > dearest.cost) dearest = { shape, cost };
  }
  return dearest;
}
