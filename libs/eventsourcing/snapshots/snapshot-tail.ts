import type { AnyDecider, Position } from '#kernel';
import { NO_STREAM } from '../ports/event-log.js';

/** A snapshot is not made anew before the characters of the events since are this part of what the state weighed. */
const PART = 10;

/** What is known of an event in its stream. */
export interface Place {
  readonly revision: number;
  readonly position: Position;
  readonly id: string;
}

/** What a stream has had since its last snapshot. All of it is integers, because each event of a hot stream is counted. */
export class SnapshotTail {
  /** The last event that is known with its position. */
  last: Place | undefined;
  /** Whether a snapshot is being made. */
  isMaking = false;
  /** The last snapshot’s revision, the bytes of its state, and the time until which none follows it (ms, monotonic). */
  #revision = NO_STREAM;
  #weight = 0;
  #restsUntil = -Infinity;
  /** The characters of the events since. */
  #characters = 0;

  /**
   * @param every a snapshot is due after more events than this
   * @param first the id of the stream’s first event, if it is known
   */
  constructor(
    readonly every: number,
    public first?: string,
  ) {}

  /** Counts an event that the state has taken. */
  took(revision: number, id: string, characters: number): void {
    if (revision === 0) this.first = id;
    this.#characters += characters;
  }

  /** The characters of the events since the last snapshot. */
  get characters(): number {
    return this.#characters;
  }

  /** The number of events after the last snapshot, up to this revision. */
  eventsTo(revision: number): number {
    return revision - this.#revision;
  }

  /** Whether a state with this revision has had enough events for a new snapshot. */
  isLongAt(revision: number): boolean {
    return revision - this.#revision > this.every && this.#characters * PART > this.#weight && !this.isMaking;
  }

  /** Whether the last snapshot is too young for another one. @param now milliseconds, monotonic */
  rests(now: number): boolean {
    return now < this.#restsUntil;
  }

  /**
   * Notes a snapshot.
   * @param weight the bytes of its state
   * @param characters of the events that it has taken in
   * @param restsUntil the time before which no other one is made (ms, monotonic)
   */
  kept(revision: number, weight: number, characters: number, restsUntil = -Infinity): void {
    this.#revision = revision;
    this.#weight = weight;
    this.#characters -= characters;
    this.#restsUntil = restsUntil;
  }
}

/** The bytes of a state: those of its parts if its decider has no other measure. */
export function weightOf(decider: AnyDecider, state: unknown, parts: readonly Uint8Array[]): number {
  return decider.weigh?.(state) ?? parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
