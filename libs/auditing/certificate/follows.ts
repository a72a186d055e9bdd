import type { ExportedEvent } from './exported-event.js';
import { placeOf, type Faults } from './faults.js';

/** Checks that an event of another stream is what this decision led to: it has its time, its actor and its request. */
export function checkFollows(follower: ExportedEvent, decision: ExportedEvent, faults: Faults): void {
  const cause = placeOf(decision);
  if (follower.cause !== cause) return faults.add(follower, 'causes', `its cause is not ${cause}`);
  const differs = (what: string): void =>
    faults.add(follower, 'causes', `its ${what} is not that of its cause ${cause}`);
  if (follower.time !== decision.time) differs('time');
  if (follower.actor !== decision.actor) differs('actor');
  if (follower.correlation !== decision.correlation) differs('correlation');
}

/** Checks that an event is a decision of its own, or a later step of an earlier one in its stream. */
export function checkDecides(event: ExportedEvent, faults: Faults): void {
  if (event.cause === null || isEarlier(event)) return;
  faults.add(event, 'causes', 'its cause is not an earlier event of its stream');
}

/** Whether an event is a decision, and so has the time of a clock; a follower has the time of its cause. */
export const isDecision = (event: ExportedEvent): boolean => event.cause === null || isEarlier(event);

function isEarlier({ cause, stream, revision }: ExportedEvent): boolean {
  if (cause?.startsWith(`${stream}@`) !== true) return false;
  const at = cause.slice(stream.length + 1);
  return /^\d{1,15}$/.test(at) && Number(at) < revision;
}
