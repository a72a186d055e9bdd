import type { Writer } from '#eventsourcing';
import { streamName, type Position, type Recorded } from '#kernel';
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
  writer: Writer,
  purchaseId: string,
): Promise<{ readonly position: Position | undefined } | undefined> {
  const events = await writer.events(streamName(purchase.category, purchaseId));
  return events.some(isOutcome) ? { position: await writer.complete(purchase, purchaseId, { from: 0 }) } : undefined;
}
