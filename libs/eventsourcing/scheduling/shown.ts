import type { Instant, Position } from '#kernel';

/** A place in the log: so many of our events before the event at a position. Events of one append follow each other. */
export interface LogPlace {
  readonly position: Position;
  readonly back: number;
}

/**
 * What the answer to one call shows of the log (ruling H6.1): up to where the views had come that it was read from, the last
 * events of the rows in it, and the time by which it was made.
 */
export class Shown {
  #reached: Position | undefined;
  #row: LogPlace | undefined;
  #bound: LogPlace | undefined;
  #exactly: LogPlace | 'unknown' | undefined;
  #now: Instant | undefined;
  readonly #persons = new Set<string>();
  readonly #erased = new Set<string>();

  /** The persons whose data the answer may show, by the names of their keys. */
  get persons(): ReadonlySet<string> {
    return this.#persons;
  }

  /** The persons whose data the answer would show if their keys were not destroyed. */
  get erased(): ReadonlySet<string> {
    return this.#erased;
  }

  /** The time that the answer shows; undefined if it depends on no time. */
  get now(): Instant | undefined {
    return this.#now;
  }

  /** Notes a read of views that have seen every event up to here. */
  reached(position: Position): void {
    if (this.#reached === undefined || position < this.#reached) this.#reached = position;
  }

  /**
   * Notes a row: the place of the last event that changed it. If it is not the last event of its append, one that follows may have
   * changed the row again, which the answer does not show.
   */
  row(place: LogPlace): void {
    if (this.#row === undefined || isBefore(this.#row, place)) this.#row = place;
    if (place.back > 0 && (this.#bound === undefined || isBefore(place, this.#bound))) this.#bound = place;
  }

  /**
   * Notes that the answer shows exactly what there was at a position, whatever else was noted; or, without one, that it shows what
   * there was at no position, because its parts changed while they were read.
   */
  exactly(position: Position | undefined): void {
    this.#exactly = position === undefined ? 'unknown' : { position, back: 0 };
  }

  /** Notes the time by which the answer is made. */
  at(now: Instant): void {
    this.#now = now;
  }

  /** Notes a person whose data was opened or sealed: the answer may show it. */
  person(person: string): void {
    this.#persons.add(person);
  }

  /** Notes a person whose data does not open any more. */
  erasedPerson(person: string): void {
    this.#erased.add(person);
  }

  /**
   * A place that has every event which the answer shows, and at which each of its rows was as the answer shows it.
   * @param wrote the last position that the call wrote
   * @returns undefined for an answer that shows nothing of the log
   */
  place(wrote: Position | undefined): LogPlace | undefined {
    if (this.#exactly === 'unknown') return undefined;
    if (this.#exactly !== undefined) return this.#exactly;
    if (this.#bound !== undefined) return this.#bound;
    let last = this.#row;
    for (const position of [wrote, this.#reached]) {
      if (position !== undefined && (last === undefined || last.position < position)) last = { position, back: 0 };
    }
    return last;
  }
}

function isBefore(one: LogPlace, other: LogPlace): boolean {
  return one.position === other.position ? one.back > other.back : one.position < other.position;
}
