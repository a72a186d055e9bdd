import type { Position, Recorded } from '#kernel';
import type { Codec } from '../events/codec.js';
import { Unavailable } from '../errors.js';
import type { EventLogReader } from '../ports/event-log.js';

/** Events per batch: few enough that other calls wait no longer than for a page of a list. */
const BATCH = 200;

/** Events across all streams, in the order of the log and in their present versions, for those who audit it. */
export class WholeLog {
  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'head' | 'eventAt' | 'subscribe'>;
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
  async *between(
    after: Position,
    until: Position,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Recorded[], void, void> {
    if (after >= until) return;
    for await (const { events, caughtUp } of this.parts.log.subscribe(after, BATCH, signal)) {
      const asked = events.filter(({ position }) => position <= until);
      yield asked.map((event) => this.parts.codec.decode(event));
      if (caughtUp || asked.length < events.length || asked.at(-1)?.position === until) return;
    }
    if (!signal.aborted) throw new Unavailable('the event log is closing');
  }
}
