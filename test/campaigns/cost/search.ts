import type { Call } from './call.js';
import type { Prices, Sender } from './prices.js';
import { Shapes, type Shape } from './shapes.js';

/** The most expensive request that a search found. */
export interface Dearest {
  readonly shape: Shape;
  /** Milliseconds of CPU, as measured during the search. */
  readonly cost: number;
}

/** The effort of a search. */
export interface Effort {
  /** Shapes to try. */
  readonly steps: number;
  /** Requests per shape. */
  readonly each: number;
  readonly random: () => number;
}

/** One in this many tried shapes is new; the others are one step away from the most expensive one so far. */
const FRESH = 3;

/** Climbs towards the most expensive request of a call: it starts with some random ones, and each step keeps what costs more. */
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
