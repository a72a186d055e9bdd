import type { Instant, Position } from '#kernel';
import type { Clock } from '../ports/clock.js';
import { presentCall } from './call-deadline.js';
import type { LogPlace } from './shown.js';

/** Notes that what the present call reads from now on has every event up to here. */
export function showsFrom(position: Position | undefined): void {
  if (position !== undefined) presentCall()?.shown?.reached(position);
}

/** Notes that the answer of the present call shows exactly what there was at a position; undefined: at none. */
export function showsExactly(position: Position | undefined): void {
  presentCall()?.shown?.exactly(position);
}

/** Notes a row that the answer of the present call shows: the place of its last event; undefined if it has none. */
export function showsRow(last: LogPlace | Position | undefined): void {
  if (last === undefined) return;
  presentCall()?.shown?.row(typeof last === 'bigint' ? { position: last, back: 0 } : last);
}

/** Notes a person whose data the answer of the present call may show. */
export function showsPerson(person: string): void {
  presentCall()?.shown?.person(person);
}

/** Notes a person of whom the answer of the present call would show something if they were not erased. */
export function showsErased(person: string): void {
  presentCall()?.shown?.erasedPerson(person);
}

/** The time by which the answer of the present call is made: `Holdfast-As-Of` names it. */
export function shownNow(clock: Pick<Clock, 'now'>): Instant {
  const now = clock.now();
  presentCall()?.shown?.at(now);
  return now;
}
