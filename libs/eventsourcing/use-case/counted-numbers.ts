import type { Position, View } from '#kernel';
import { Unavailable } from '../errors.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Numbers } from '../ports/numbers.js';
import type { Time } from '../ports/time.js';
import type { StoredRow, ViewReaders } from '../ports/view-store.js';
import {
  type EventCounts,
  partOf,
  PARTS_IN_ROW,
  partsAt,
  positionIn,
  ROWS_IN_SUMS,
  sumsAt,
} from '../work/event-counts.view.js';
import type { Freshness } from './freshness.js';

/** Positions that are kept: an answer names one of the last events. */
const KEPT = 16_384;
/** Events per read. */
const BATCH = 500;
/** Milliseconds between two looks whether the view has come to where this process began to follow the log. */
const LOOK_EVERY = 100;

/**
 * How long an answer waits for its number, in milliseconds: what it says is on disk, and a process that follows the log late must
 * not answer late.
 */
const MOMENT = 50;

/** A number whose position is known. */
interface Known {
  readonly number: number;
  readonly position: Position;
}

/**
 * Numbers of a log whose positions count bytes. A view counts the events of each stretch of the log; this process counts what it
 * follows from where it began, and keeps the last positions.
 */
export class CountedNumbers implements Numbers {
  /** The event before the first kept one; undefined until the view has told its number. */
  #before: Known | undefined;
  /** Positions of events in order, after `#before` or after where this process began to follow. */
  readonly #positions: Position[] = [];
  #began: Position | undefined;
  #followed: Position = 0n;

  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'head' | 'eventAt' | 'subscribe'>;
      readonly views: Pick<ViewReaders, 'reader'>;
      readonly view: View<EventCounts, 'kind'>;
      readonly freshness: Pick<Freshness, 'has' | 'untilFollowed'>;
      readonly time: Time;
    },
  ) {}

  /** Notes an event that this process follows. */
  took(position: Position): void {
    this.#positions.push(position);
    if (this.#positions.length < 2 * KEPT) return;
    const dropped = this.#positions.splice(0, this.#positions.length - KEPT);
    const last = dropped.at(-1);
    if (this.#before !== undefined && last !== undefined)
      this.#before = { number: this.#before.number + dropped.length, position: last };
    // Nobody has told the number yet, and what is dropped is not counted: it is asked for again from here.
    else this.#began = last;
  }

  /** Notes that this process has followed the log up to here; the first time, that it begins here. */
  followedTo(position: Position): void {
    this.#began ??= position;
    this.#followed = position;
  }

  /** Learns the number of where this process began to follow the log, as soon as the view is there. Ends with the signal. */
  async begin(signal: AbortSignal): Promise<void> {
    const { time } = this.parts;
    while (!signal.aborted && this.#before === undefined) {
      const began = this.#began;
      if (began !== undefined && this.parts.freshness.has(this.parts.view, began)) {
        try {
          const number = await this.#count(began, signal);
          if (this.#began === began) this.#before = { number, position: began };
          continue;
        } catch {
          // The view may be built again, or the log be away for a moment: the next look comes after a pause.
        }
      }
      await time.pause(LOOK_EVERY, { signal });
    }
  }

  at(position: Position): number | undefined {
    const before = this.#before;
    if (before === undefined || position < before.position || position > this.#followed) return undefined;
    return before.number + countUpTo(this.#positions, position);
  }

  async soonAt(position: Position): Promise<number | undefined> {
    try {
      await Promise.race([this.parts.freshness.untilFollowed(position), this.parts.time.pause(MOMENT, { ref: false })]);
      const known = this.at(position);
      if (known !== undefined) return known;
      const { freshness, view } = this.parts;
      return freshness.has(view, position) ? await this.#count(position, NEVER) : undefined;
    } catch {
      return undefined;
    }
  }

  async positionOf(number: number): Promise<Position | undefined> {
    if (number === 0) return 0n;
    const head = await this.parts.log.head();
    const last = await this.soonAt(head);
    if (last === undefined) throw new Unavailable('the events are not counted yet', 5);
    if (number > last) return undefined;
    const before = this.#before;
    const kept = before === undefined ? undefined : this.#positions[number - before.number - 1];
    const position = kept ?? (await this.#find(number, head));
    if (position === undefined) throw new Unavailable('the events are not counted so far yet', 5);
    return position;
  }

  /** How many events there are up to a position that the view has reached. */
  async #count(position: Position, signal: AbortSignal): Promise<number> {
    const part = partOf(position);
    const row = Math.floor(part / PARTS_IN_ROW);
    const sums = Math.floor(row / ROWS_IN_SUMS);
    let count = 0;
    for (let index = 0; index <= sums; index += 1) {
      const { counts } = await this.#row(sumsAt(index));
      count += sum(counts, index === sums ? row % ROWS_IN_SUMS : counts.length);
    }
    const { counts, firsts } = await this.#row(partsAt(row));
    const place = part % PARTS_IN_ROW;
    count += sum(counts, place);
    if ((counts[place] ?? 0) === 0) return count;
    const first = positionIn(part, firsts[place] ?? 0);
    if (first > position) return count;
    count += 1;
    for await (const next of this.#after(first, signal)) {
      if (next > position) break;
      count += 1;
      if (next === position) break;
    }
    return count;
  }

  /** The position of an event that the view has counted; undefined if it has not come to it. */
  async #find(number: number, head: Position): Promise<Position | undefined> {
    let left = number;
    const last = Math.floor(partOf(head) / PARTS_IN_ROW / ROWS_IN_SUMS);
    for (let index = 0; index <= last; index += 1) {
      // Other programs may fill whole stretches.
      const { place, before } = placeOf((await this.#row(sumsAt(index))).counts, left);
      left -= before;
      if (place === undefined) continue;
      const row = index * ROWS_IN_SUMS + place;
      const { counts, firsts } = await this.#row(partsAt(row));
      const found = placeOf(counts, left);
      if (found.place === undefined) return undefined;
      left -= found.before;
      const first = positionIn(row * PARTS_IN_ROW + found.place, firsts[found.place] ?? 0);
      if (left === 1) return first;
      let at = 1;
      for await (const next of this.#after(first, NEVER)) if ((at += 1) === left) return next;
      return undefined;
    }
    return undefined;
  }

  async *#after(position: Position, signal: AbortSignal): AsyncGenerator<Position, void> {
    const { log } = this.parts;
    if ((await log.eventAt(position)) === undefined)
      throw new Unavailable(`the event log lacks the event that was at position ${position}`);
    const stop = new AbortController();
    const end = (): void => stop.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
      for await (const { events, caughtUp } of log.subscribe(position, BATCH, stop.signal)) {
        for (const event of events) yield event.position;
        if (caughtUp) return;
      }
    } finally {
      signal.removeEventListener('abort', end);
      stop.abort();
    }
  }

  async #row(key: string): Promise<EventCounts> {
    return (await this.#stored(key))?.row ?? { kind: 'parts', counts: [], firsts: [] };
  }

  #stored(key: string): Promise<StoredRow<EventCounts> | undefined> {
    return this.parts.views.reader(this.parts.view).get(key);
  }
}

const NEVER = new AbortController().signal;

/** How many of these positions, which ascend, are not after another one. */
function countUpTo(positions: readonly Position[], position: Position): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? position) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sum(counts: readonly number[], length: number): number {
  let all = 0;
  for (let place = 0; place < length; place += 1) all += counts[place] ?? 0;
  return all;
}

/** The place at which a sum of counts reaches a number, and the sum before it; no place if they are fewer. */
function placeOf(
  counts: readonly number[],
  number: number,
): { readonly place: number | undefined; readonly before: number } {
  let before = 0;
  for (const [place, count] of counts.entries()) {
    if (before + count >= number) return { place, before };
    before += count;
  }
  return { place: undefined, before };
}
