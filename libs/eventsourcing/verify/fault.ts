import type { EventPlace, Position } from '#kernel';

/** What sort of contradiction an audit of the log found. */
export type FaultKind =
  | 'missing'
  | 'order'
  | 'time'
  | 'shape'
  | 'cause'
  | 'follower'
  | 'sum'
  | 'snapshot'
  | 'row'
  | 'ledger';

/** A contradiction within the log, or between the log and what was built from it or happened at the gateway. */
export interface Fault {
  readonly kind: FaultKind;
  /** The event at which it shows, `stream@revision`, a stream, or `view > key`; null for a position without an event. */
  readonly where: string | null;
  /** The event's position in digits; null for what is no event. */
  readonly position: string | null;
  /** For people: what is wrong. It has no personal data and no redemption code. */
  readonly what: string;
}

/** What a fault of each kind means, and what to do about it. */
export const FAULTS: Readonly<Record<FaultKind, string>> = {
  missing: 'Events were deleted. Put back a copy of the log that has them.',
  order: 'Events were moved or repeated. Put back a copy of the log in which they are in order.',
  time: 'A time was changed, or the clock was wrong then. Compare the event with a copy of the log.',
  shape: 'Nothing of ours writes such an event. Compare it with a copy of the log.',
  cause: 'Who, when or why was changed here or in the decision that it follows. Compare both with a copy of the log.',
  follower: 'A decision and what follows from it were changed, added or deleted. Compare both with a copy of the log.',
  sum: 'The event does not follow from those before. Compare it, and the ones before, with a copy of the log.',
  snapshot:
    'The state that loads begin with is another one than that of the events. Stop the service, delete the folder views/snapshots, start it again.',
  row: 'The view or an event was changed. Compare the events with a copy of the log first, because a new build of the view ends this finding. If they are right, build it again: projections rebuild <view>.',
  ledger: 'The log and the gateway do not agree about money. Compare both, and pay back what no purchase accounts for.',
};

/** Receives faults. */
export type Report = (fault: Fault) => void;

/** A fault that shows at an event. */
export function faultAt(kind: FaultKind, event: EventPlace & { readonly position: Position }, what: string): Fault {
  const { stream, revision, position } = event;
  return { kind, where: `${stream}@${revision}`, position: position.toString(), what };
}

/** The most characters of a text in a fault: a name that others chose may be long. */
const LONGEST = 300;

/** The same fault with texts of bounded length. */
export function bounded({ kind, where, position, what }: Fault): Fault {
  const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  // What it means follows as a sentence of its own.
  return { kind, where: where === null ? null : short(where), position, what: short(what.replace(/\.$/, '')) };
}

/** What was looked at. */
export interface Checked {
  events: number;
  streams: number;
  /** Decisions whose followers were compared, and followers that were compared with their decisions. */
  decisions: number;
  followers: number;
  snapshots: number;
  rows: number;
  /** Events whose arithmetic was checked. */
  sums: number;
  /** Charges that were compared with the gateway’s ledger. */
  charges: number;
}

export const nothingChecked = (): Checked => ({
  events: 0,
  streams: 0,
  decisions: 0,
  followers: 0,
  snapshots: 0,
  rows: 0,
  sums: 0,
  charges: 0,
});

/** Adds what others have looked at. */
export function addChecked(to: Checked, more: Checked): void {
  for (const name of Object.keys(to) as (keyof Checked)[]) to[name] += more[name];
}
