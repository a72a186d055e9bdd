import type { Instant, Position, Recorded } from '#kernel';
import type { ReadEvents } from '../event/batch-read.js';
import { isRole, withoutVersion } from '../event-index/terms.js';

/** A bound of the part of the log to read: a position, or a moment by the clock of the service. */
export type Bound = { readonly position: Position } | { readonly time: Instant };

/** Which events of the log to read. */
export interface Asked {
  /** The first one, which must exist if it is a position. */
  readonly from?: Bound | undefined;
  /** The last one. */
  readonly to?: Bound | undefined;
  /** The whole actor, its beginning before a `/`, or a role. */
  readonly actor?: string | undefined;
  /** Types, with their version or without. */
  readonly types?: readonly string[] | undefined;
  /** How many: the last ones that fit, the newest first. All if absent. */
  readonly last?: number | undefined;
}

/** A part of the log. */
export interface PartOfLog {
  /** The position up to which it is read. */
  readonly until: Position;
  /** Reads it. @param signal ends it early */
  read(signal: AbortSignal): AsyncIterable<ReadEvents>;
}

/** Whether an event is among those that are asked for, by all but its position. */
export function fitting({ from, to, actor, types }: Asked): (event: Recorded) => boolean {
  const since = from !== undefined && 'time' in from ? from.time : -Infinity;
  const until = to !== undefined && 'time' in to ? to.time : Infinity;
  const acted = actor === undefined ? () => true : by(actor);
  const asked = types && new Set(types);
  return ({ type, metadata: { time, actor: who } }) =>
    time >= since &&
    time <= until &&
    acted(who) &&
    (asked === undefined || asked.has(type) || asked.has(withoutVersion(type)));
}

function by(actor: string): (who: string) => boolean {
  if (isRole(actor)) return (who) => who.startsWith(`${actor}:`);
  return (who) => who === actor || who.startsWith(`${actor}/`);
}
