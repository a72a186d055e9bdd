import type { Instant, Position, Recorded } from '#kernel';
import type { Writer } from './writer.js';

/** A place in the log that divides what was there at a time from what came later. */
export interface Cut {
  /** The position of the last event; undefined if only the instant is known: then all events up to it. */
  readonly position: Position | undefined;
  readonly instant: Instant;
}

/** Events per read. */
const PAGE = 500;

/** The log as it was at a cut (ruling G7.2). Work grows with the streams that are asked for, never with the log. */
export class Past {
  constructor(
    private readonly writer: Pick<Writer, 'events'>,
    readonly cut: Cut,
  ) {}

  /** Whether an event was there. */
  has({ position, metadata: { time } }: Pick<Recorded, 'position' | 'metadata'>): boolean {
    const { cut } = this;
    return cut.position === undefined ? time <= cut.instant : position <= cut.position;
  }

  /** The events that a stream had, in order. For streams that stay short. */
  async events(stream: string): Promise<readonly Recorded[]> {
    const had: Recorded[] = [];
    for (;;) {
      const page = await this.writer.events(stream, { from: had.length, most: PAGE });
      for (const event of page) {
        if (!this.has(event)) return had;
        had.push(event);
      }
      if (page.length === 0) return had;
    }
  }

  /** The revision of the last event that a stream had; -1 for none. It reads few events of a long stream. */
  async revision(stream: string): Promise<number> {
    const had = async (revision: number): Promise<boolean> => {
      const [event] = await this.writer.events(stream, { from: revision, most: 1 });
      return event !== undefined && this.has(event);
    };
    let beyond = 1;
    while (await had(beyond - 1)) beyond *= 2;
    let known = Math.floor(beyond / 2) - 1;
    let without = beyond - 1;
    while (without - known > 1) {
      const middle = known + Math.floor((without - known) / 2);
      if (await had(middle)) known = middle;
      else without = middle;
    }
    return known;
  }

  /** The last event that a stream had; undefined for none. */
  async last(stream: string): Promise<Recorded | undefined> {
    const revision = await this.revision(stream);
    if (revision < 0) return undefined;
    return (await this.writer.events(stream, { from: revision, most: 1 }))[0];
  }

  /** The events that a stream had, from its last one back to its first. */
  async *back(stream: string): AsyncGenerator<Recorded, void> {
    for (let end = await this.revision(stream); end >= 0; end -= PAGE) {
      const first = Math.max(0, end - PAGE + 1);
      const events: Recorded[] = [];
      while (events.length < end - first + 1) {
        const page = await this.writer.events(stream, {
          from: first + events.length,
          most: end - first + 1 - events.length,
        });
        if (page.length === 0) break;
        events.push(...page);
      }
      yield* events.reverse();
    }
  }
}
