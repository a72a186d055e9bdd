import { type Instant, type Position, type Recorded, SECOND, MINUTE } from '#kernel';
import { holeFinding } from '../findings/continuity.js';
import { type Finding } from '../ports/finding.js';
import { faultAt, type Report } from './fault.js';

/** How much clocks of processes may differ: two of them, each by 10 s from that of the log’s server, and a margin. */
const CLOCKS_DIFFER = 30 * SECOND;
/** How much earlier than its neighbour an event of another stream may be: an append whose answer was lost is sent again for a while. */
const LATE_BY = 60 * MINUTE;
/** How many ids it remembers to find repeated ones, each in the place that its end says. */
const IDS = 4_096;
/** After a move of the test clock, processes that have not followed it yet still write for so many events. */
const AFTER_MOVE = 10_000n;

/** Whether an event is a decision: its cause, if it has one, is in its own stream. */
export function isDecision({ stream, metadata: { causation } }: Recorded): boolean {
  // Without a text of its own for each event.
  return causation === null || (causation[stream.length] === '@' && causation.startsWith(stream));
}

/** Checks what shows in the order of all events: positions, ids, and the time of decisions. */
export class LogOrder {
  readonly #ids: string[] = Array.from({ length: IDS }, () => '');
  #time: Instant | undefined;
  #movedAt = -AFTER_MOVE;

  constructor(
    private readonly parts: {
      /** Whether positions are 1, 2, 3 … */
      readonly dense: boolean;
      /** Whether an event moves the service’s clock. */
      readonly movesClock: (event: Recorded) => boolean;
      readonly isKnown: (finding: Finding) => boolean;
      readonly report: Report;
    },
    private after: Position,
  ) {}

  take(event: Recorded): undefined {
    const { dense, report, movesClock, isKnown } = this.parts;
    const { position, id, metadata } = event;
    if (position <= this.after) report(faultAt('order', event, `its position is not after ${this.after}`));
    if (dense && position > this.after + 1n) {
      const hole = holeFinding(this.after + 1n, position);
      if (!isKnown(hole)) {
        const at = (this.after + 1n).toString();
        report({ kind: 'missing', where: null, position: at, what: hole.words });
      }
    }
    this.after = position;
    const at = placeOf(id);
    if (this.#ids[at] === id) report(faultAt('order', event, 'an event before has the same id'));
    this.#ids[at] = id;
    if (movesClock(event)) this.#movedAt = position;
    if (!isDecision(event)) return;
    const before = this.#time;
    this.#time = metadata.time;
    if (before !== undefined && metadata.time < before - LATE_BY && !this.hasJustMoved(position))
      report(
        faultAt(
          'time',
          event,
          `it is ${durationOf(before - metadata.time)} earlier than the decision before it in the log`,
        ),
      );
  }

  /** Whether the test clock was moved a short while before this position. */
  hasJustMoved(position: Position): boolean {
    return position - this.#movedAt < AFTER_MOVE;
  }
}

/** Whether a decision of a stream is so much earlier than the one before that no difference of clocks explains it. */
export function isTooEarly(time: Instant, before: Instant): boolean {
  return time < before - CLOCKS_DIFFER;
}

/** A duration in words, such as `7 days`. */
export function durationOf(milliseconds: number): string {
  const minutes = Math.round(milliseconds / MINUTE);
  if (minutes < 2) return `${Math.round(milliseconds / SECOND)} s`;
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1_440)} days`;
}

/** The place of an id among `IDS`, from its last characters: they are random. */
function placeOf(id: string): number {
  let place = 0;
  for (let at = Math.max(0, id.length - 4); at < id.length; at += 1) place = place * 31 + id.charCodeAt(at);
  return place % IDS;
}
