import type { Position } from '#kernel';
import { NO_STREAM } from '../ports/event-log.js';

/** A snapshot is not made anew before the characters of the events since are this part of its bytes. */
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
  /** The last snapshot’s revision, and its bytes. */
  #revision = NO_STREAM;
  #bytes = 0;
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

  /** Whether a state with this revision is to have a snapshot. */
  isDueAt(revision: number): boolean {
    return revision - this.#revision > this.every && this.#characters * PART > this.#bytes && !this.isMaking;
  }

  /**
   * Notes a snapshot.
   * @param characters of the events that it has taken in
   */
  kept(revision: number, bytes: number, characters: number): void {
    this.#revision = revision;
    this.#bytes = bytes;
    this.#characters -= characters;
  }
}
