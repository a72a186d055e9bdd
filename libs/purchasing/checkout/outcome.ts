import { writeMissingFollowers, readWhole, type Engine } from '#eventsourcing';
import { streamName, type Directive, type Position, type Recorded } from '#kernel';
import { purchase } from '../purchase/purchase.decider.js';
import { purchaseFollowers } from '../followers.js';

/** Whether an event of a purchase is the outcome of its charge, with followers for units, codes and coupons. */
export function isOutcome({ type }: Pick<Recorded, 'type'>): boolean {
  return Object.hasOwn(purchaseFollowers.on, type);
}

/**
 * Writes the missing followers of a charge's outcome, if the process that wrote the outcome got no further. Reads the log
 * itself: another process may have written the outcome a moment ago.
 * @returns the position of what it wrote, if anything was missing; undefined while there is no outcome
 * @throws Unavailable if it cannot write now
 */
export async function completeOutcome(
  engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>,
  purchaseId: string,
): Promise<{ readonly position: Position | undefined } | undefined> {
  const outcome = (await readWhole(engine, streamName(purchase.category, purchaseId))).find(isOutcome);
  if (outcome === undefined) return undefined;
  const directives: readonly Directive[] = purchaseFollowers.on[outcome.type]?.(outcome as never) ?? [];
  return { position: await writeMissingFollowers(engine, outcome, directives) };
}
