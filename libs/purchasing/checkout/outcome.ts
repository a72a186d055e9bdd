import { later, writeMissingFollowers, readWhole, type Engine } from '#eventsourcing';
import { streamName, type FollowUp, type Position, type Recorded } from '#kernel';
import { purchase } from '../purchase/purchase.decider.js';
import { purchaseFollowers } from '../followers.js';

/** Whether an event of a purchase decides about its units: the outcome of a charge, or a reseller's purchase. */
export function isOutcome({ type }: Pick<Recorded, 'type'>): boolean {
  return Object.hasOwn(purchaseFollowers.on, type);
}

/**
 * Writes the missing followers of such outcomes, if the process that wrote them got no further. Reads the log itself: another
 * process may have written an outcome a moment ago.
 * @returns the position of what it wrote, if anything was missing; undefined while there is no outcome
 * @throws Unavailable if it cannot write now
 */
export async function completeOutcome(
  engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>,
  purchaseId: string,
): Promise<{ readonly position: Position | undefined } | undefined> {
  const outcomes = (await readWhole(engine, streamName(purchase.category, purchaseId))).filter(isOutcome);
  if (outcomes.length === 0) return undefined;
  let position: Position | undefined;
  for (const outcome of outcomes) {
    const directives: readonly FollowUp[] = purchaseFollowers.on[outcome.type]?.(outcome as never) ?? [];
    position = later(position, await writeMissingFollowers(engine, outcome, directives));
  }
  return { position };
}
