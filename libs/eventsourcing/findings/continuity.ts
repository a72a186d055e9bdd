import type { Position, Recorded } from '#kernel';
import { LastRevisions } from '../caches/last-revisions.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Finding } from '../ports/finding.js';
import { findingOf } from './finding.js';
import { gapFinding } from './stream-findings.js';

/** The part of the log that it asks. */
export type AskedLog = Pick<EventLogReader, 'readStream' | 'dense'>;

/**
 * Finds what a log lacks while it is read in order: a position where each has its event, an event of a stream, or the order of
 * two. It asks the log before it says that an event is missing.
 */
export class Continuity {
  readonly #last = new LastRevisions();

  /** @param after the position after which the reading begins */
  constructor(
    private readonly log: AskedLog,
    private after: Position,
  ) {}

  /** The finding if something is missing right before an event, or the event stands in the wrong place. */
  check(event: Recorded): Promise<Finding | undefined> | undefined {
    const { after } = this;
    const { position, stream, revision } = event;
    const before = this.#last.set(stream, revision);
    this.after = position;
    const isNext = revision === (before ?? -1) + 1;
    if (isNext && (this.log.dense !== true || position === after + 1n)) return undefined;
    return this.#examine(event, after, isNext);
  }

  async #examine(event: Recorded, after: Position, isNext: boolean): Promise<Finding | undefined> {
    const { position, stream, revision } = event;
    if (!isNext && revision > 0) {
      const [previous] = await this.log.readStream(stream, revision - 1, 1);
      if (previous?.revision !== revision - 1) {
        // What of the stream is missing before: all that the log gives is read from its beginning by whoever loads it.
        return gapFinding(stream, await this.#firstMissing(stream, revision), [{ revision }]);
      }
      if (previous.position > position) return orderFinding(event, previous);
    }
    if (this.log.dense === true && position !== after + 1n) return holeFinding(after + 1n, position);
    return undefined;
  }

  /** The first revision right before this one that the log lacks. */
  async #firstMissing(stream: string, below: number): Promise<number> {
    let first = below - 1;
    while (first > 0 && below - first < MOST_ASKED) {
      const [event] = await this.log.readStream(stream, first - 1, 1);
      if (event?.revision === first - 1) break;
      first -= 1;
    }
    return below - first < MOST_ASKED ? first : 0;
  }
}

/** How many missing revisions it looks for one by one. */
const MOST_ASKED = 1_000;

/** The finding that no event is at these positions, although each has one. @param to the position of the next event */
export function holeFinding(from: Position, to: Position): Finding {
  const places = to - from === 1n ? `position ${from}` : `the positions ${from} to ${to - 1n}`;
  return findingOf('hole', `The log has no event at ${places}: somebody deleted it.`, [from, to]);
}

/** The finding that two events of a stream stand in the wrong order. */
export function orderFinding(
  { stream, revision, position }: Pick<Recorded, 'stream' | 'revision' | 'position'>,
  previous: Pick<Recorded, 'revision' | 'position'>,
): Finding {
  const words = `${stream}@${revision} stands at position ${position}, before ${stream}@${previous.revision} at ${previous.position}: somebody changed the log.`;
  return findingOf('order', words, [revision, position], stream);
}
