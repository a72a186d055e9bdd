import type { Seeded } from '../core/seeded.js';

/** How many clients send operations at the same time. */
export const ACTORS = 12;

/**
 * One thing that somebody does. Everything in it follows from the seed and its number alone, so that leaving out others changes
 * nothing about it.
 */
export interface Operation {
  /** Its number in the list, from 0. */
  readonly index: number;
  readonly kind: string;
  /** The client that sends it, from 0. */
  readonly actor: number;
  /** Milliseconds that its client waits before it; a client also waits for operations that are left out. */
  readonly wait: number;
  /** For everything else that it chooses. */
  readonly random: Seeded;
}

/**
 * The operations of a world.
 * @param weights how often each kind comes, relative to the others
 */
export function operationsOf(
  random: Seeded,
  count: number,
  weights: Readonly<Record<string, number>>,
): readonly Operation[] {
  const kinds = Object.entries(weights);
  const total = kinds.reduce((sum, [, weight]) => sum + weight, 0);
  return Array.from({ length: count }, (_, index) => {
    const own = random.of(`op ${index}`);
    let at = own.between(0, total);
    const kind = kinds.find(([, weight]) => (at -= weight) < 0)?.[0] ?? kinds[0]?.[0] ?? '';
    return { index, kind, actor: own.whole(0, ACTORS - 1), wait: waitOf(own), random: own };
  });
}

/** Mostly little, so that operations meet; now and then so long that holds end and work falls due. */
function waitOf(random: Seeded): number {
  const kind = random.fraction();
  if (kind < 0.5) return random.between(0, 60);
  if (kind < 0.97) return random.between(0, 3_000);
  return random.between(10_000, 120_000);
}
