import { type EventBody, type FollowUp, type Recorded, streamOf } from '#kernel';
import type { Codec } from '../events/codec.js';
import { later } from '../events/later.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Follower } from './command.js';
import type { Cause, Outcome } from './context.js';
import type { Pending } from './stream-entry.js';
import type { StreamTable } from './stream-table.js';

/** How many events from a stream's end the loop searches for a follower that was written a moment ago. */
const TAIL = 200;

/** Writes the followers that did not join the append of their decision. */
export class LateFollowers {
  constructor(
    private readonly parts: {
      readonly log: Pick<EventLogReader, 'readStream'>;
      readonly codec: Pick<Codec, 'decode'>;
      readonly streams: StreamTable;
      /** Sends a follower through the queue of its stream. */
      direct(
        directive: FollowUp,
        request: Pick<Pending, 'context' | 'cause' | 'deadline' | 'span'>,
      ): Promise<Outcome<unknown, EventBody>>;
    },
  ) {}

  /** Writes a follower through the queue of its stream, unless it was refused: another try would be refused, too. */
  write(follower: Follower): Promise<void> {
    const { refusal } = follower;
    const late = refusal === undefined ? this.#writeFollower(follower) : Promise.reject(refusal);
    // `settle` passes the failure to the caller, perhaps much later or never.
    late.catch(() => undefined);
    return late;
  }

  async #writeFollower({ directive, cause, owner }: Follower): Promise<void> {
    const { context, deadline, span } = owner.pending;
    const outcome = await this.parts.direct(directive, { context, cause, deadline, span });
    owner.position = later(owner.position, outcome.position);
    if (outcome.events.length > 0) {
      owner.followers.push(...outcome.events);
      return;
    }
    // A copy whose answer was lost may have written the follower already.
    const there = await this.#eventsCausedBy(directive, cause);
    owner.followers.push(...there);
    owner.position = later(owner.position, there.at(-1)?.position);
  }

  /** The events at the end of a follower's stream that this decision caused. */
  async #eventsCausedBy(directive: FollowUp, { causation }: Cause): Promise<readonly Recorded[]> {
    const { log, codec, streams } = this.parts;
    const { stream, revision } = streams.entry(directive.decider, streamOf(directive));
    const tail = await log.readStream(stream, Math.max(0, revision + 1 - TAIL), TAIL);
    return tail.filter(({ metadata }) => metadata.causation === causation).map((event) => codec.decode(event));
  }
}
