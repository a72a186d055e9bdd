import type { Instant, Position } from '#kernel';
import type { Clock } from '../ports/clock.js';
import { presentCall } from './call-deadline.js';

/** Notes that what the present call reads from now on has every event up to here. */
export function showsFrom(position: Position | undefined): void {
  if (position !== undefined) presentCall()?.shown?.reached(position);
}

/** Notes a row that the answer of the present call shows: the position of its last event. */
export function showsRow(position: Position | undefined): void {
  presentCall()?.shown?.row(position);
}

/** The time by which the answer of the present call is made: `Holdfast-As-Of` names it. */
export function shownNow(clock: Pick<Clock, 'now'>): Instant {
  const now = clock.now();
  presentCall()?.shown?.at(now);
  return now;
}
