import type { Position, Recorded } from '#kernel';
import type { Codec } from '../events/codec.js';
import { Unavailable } from '../errors.js';
import type { EventLogReader } from '../ports/event-log.js';

/** Events per batch: few enough that other calls wait no longer than for a page of a list. */
const BATCH = 200;

/** Reading on over so many events takes about as long as another read; and over so many bytes of a log that counts those. */
const NEARBY = { events: 128n, bytes: 32_768n };

/** Events across all streams, in the order of the log and in their present versions, for those who audit it. */
export class WholeLog {
  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'head' | 'eventAt' | 'subscribe' | 'countsBytes'>;
      readonly codec: Pick<Codec, 'decode' | 'names' | 'categories'>;
    },
  ) {}

  /** The names of the types that events may have, with their versions. */
  get types(): readonly string[] {
    return this.parts.codec.names;
  }

  /** The categories of all streams. */
  get categories(): readonly string[] {
    return this.parts.codec.categories;
  }

  /** How far apart two parts of the log may be so that one read of both takes no longer than two. */
  get nearby(): Position {
    return this.parts.log.countsBytes ? NEARBY.bytes : NEARBY.events;
  }

  /** The position of the last event; 0n if there is none. @throws Unavailable */
  end(): Promise<Position> {
    return this.parts.log.head();
  }

  /** The event at a position; undefined if there is none. @throws Unavailable */
  async at(position: Position): Promise<Recorded | undefined> {
    const event = await this.parts.log.eventAt(position);
    return event && this.parts.codec.decode(event);
  }

  /**
   * The events after a position, up to another one that the log has reached.
   * @param after the position of an event; 0n is the beginning
   * @param signal ends it early
   * @throws Unavailable if the log closes before it is read
   */
  between(after: Position, until: Position, signal: AbortSignal): AsyncGenerator<readonly Recorded[], void, void> {
    return this.#read(after, until, BATCH, signal);
  }

  /**
   * The event at a position, and those after it up to another position that the log has reached.
   * @param signal ends it early
   * @throws Unavailable if no event is at the position any more, or the log closes before it is read
   */
  async *range(first: Position, last: Position, signal: AbortSignal): AsyncGenerator<readonly Recorded[], void, void> {
    const event = await this.at(first);
    if (event === undefined) throw new Unavailable(`the event log lacks the event that was at position ${first}`);
    yield [event];
    // No more events than positions: a batch need not be larger.
    const distance = last - first;
    yield* this.#read(first, last, distance < BATCH ? Number(distance) : BATCH, signal);
  }

  async *#read(
    after: Position,
    until: Position,
    most: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Recorded[], void, void> {
    if (after >= until) return;
    for await (const { events, caughtUp } of this.parts.log.subscribe(after, most, signal)) {
      const asked = events.filter(({ position }) => position <= until);
      yield asked.map((event) => this.parts.codec.decode(event));
      if (caughtUp || asked.length < events.length || asked.at(-1)?.position === until) return;
    }
    if (!signal.aborted) throw new Unavailable('the event log is closing');
  }
}
