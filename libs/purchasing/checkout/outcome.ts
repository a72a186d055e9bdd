import { carryOn, type Engine } from '#eventsourcing';
import { streamName, type Directive, type Position, type Recorded } from '#kernel';
import { purchase } from '../purchase/purchase.decider.js';
import { purchaseFollowers } from '../followers.js';
import { readAll } from '../purchase/purchase.story.js';

/** Whether an event of a purchase is the outcome of its charge: then units, codes and coupons follow from it. */
export function isOutcome({ type }: Pick<Recorded, 'type'>): boolean {
  return Object.hasOwn(purchaseFollowers.on, type);
}

/**
 * Writes what follows from the outcome of a purchase's charge, where whoever wrote the outcome got no further. Looks into
 * the log itself: another process may have written it a moment ago.
 * @returns how far it wrote, if it had to; undefined while there is no outcome
 * @throws Unavailable when it cannot be written now
 */
export async function completeOutcome(
  engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>,
  purchaseId: string,
): Promise<{ readonly position: Position | undefined } | undefined> {
  const outcome = (await readAll(engine, streamName(purchase.category, purchaseId))).find(isOutcome);
  if (outcome === undefined) return undefined;
  const directives: readonly Directive[] = purchaseFollowers.on[outcome.type]?.(outcome as never) ?? [];
  return { position: await carryOn(engine, outcome, directives) };
}
