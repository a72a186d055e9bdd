import type { Reader, WholeLog } from '#eventsourcing';
import type { Position, Recorded } from '#kernel';
import type { ReadEvents } from '../event/batch-read.js';
import { markedBlocks, type Wanted } from './marked-blocks.js';
import { blockOf } from './marks.js';
import { rangesOf, type Range } from './ranges.js';

/** What to find by the index. */
export interface Sought {
  readonly wanted: Wanted;
  /** The part of the log to look at; its beginning is 0n or the position of an event. */
  readonly within: Range;
  /** Whether an event is asked for: a few others are read too. */
  readonly fits: (event: Recorded) => boolean;
}

/** Finds events of the log by the index, which must have seen the part to look at. It reads hardly any others. */
export class IndexSearch {
  constructor(
    private readonly reader: Pick<Reader, 'of'>,
    private readonly log: Pick<WholeLog, 'range' | 'nearby'>,
  ) {}

  /** All events, in the order of the log. @param signal ends it early */
  async *all({ wanted, within, fits }: Sought, signal: AbortSignal): AsyncGenerator<ReadEvents, void, void> {
    for await (const ranges of this.#ranges(wanted, within, [within.first, within.last])) {
      if (signal.aborted) return;
      yield NONE;
      for (const { first, last } of ranges)
        for await (const read of this.log.range(first, last, signal)) yield { read, events: read.filter(fits) };
    }
  }

  /** The last so many events, the newest first. @param signal ends it early */
  async *last(
    most: number,
    { wanted, within, fits }: Sought,
    signal: AbortSignal,
  ): AsyncGenerator<ReadEvents, void, void> {
    let left = most;
    for await (const ranges of this.#ranges(wanted, within, [within.last, within.first])) {
      if (signal.aborted) return;
      yield NONE;
      for (const { first, last } of ranges.toReversed()) {
        const read: Recorded[] = [];
        for await (const part of this.log.range(first, last, signal)) read.push(...part);
        const events = read.toReversed().filter(fits).slice(0, left);
        yield { read: read.toReversed(), events };
        left -= events.length;
        if (left === 0) return;
      }
    }
  }

  /** The ranges to read, block by block from one position to the other. */
  async *#ranges(
    wanted: Wanted,
    within: Range,
    [from, to]: readonly [Position, Position],
  ): AsyncGenerator<readonly Range[], void, void> {
    for await (const marked of markedBlocks(this.reader, wanted, blockOf(from), blockOf(to)))
      yield rangesOf(marked, within, this.log.nearby);
  }
}

/** Lets others have their turn. */
const NONE: ReadEvents = { read: [], events: [] };
