import type { Position, Recorded } from '#kernel';
import { type Codec, UnreadableEvent } from '../events/codec.js';
import { Unavailable } from '../errors.js';
import type { EventLogReader } from '../ports/event-log.js';

/** Events that are read together. */
const BATCH = 2_000;

/** Something that looks at each event of the log, in order. */
export interface LogCheck {
  /** @param event as this build reads it; undefined if it cannot */
  take(stored: Recorded, event: Recorded | undefined): Promise<void> | undefined;
}

/** What an audit needs to go through the log. */
export interface LogWalk {
  readonly log: Pick<EventLogReader, 'subscribe'>;
  readonly codec: Pick<Codec, 'decode'>;
  readonly checks: readonly LogCheck[];
  /** Called every few events with the position so far: it rests, or lets others have their turn. */
  readonly between: (position: Position) => Promise<void> | undefined;
  /** Called if the log cannot be read any further: the walk ends there. */
  readonly unreadable: (error: Error) => void;
  readonly signal: AbortSignal;
}

/** Events between two calls of `between`. */
const PIECE = 50;

/**
 * Gives the checks every event after a position, up to another one.
 * @returns how many events these were
 */
export async function walkLog(walk: LogWalk, after: Position, until: Position): Promise<number> {
  const tally = { count: 0 };
  try {
    await walked(walk, after, until, tally);
  } catch (error) {
    // A server that is away for a moment is no fault of the log.
    if (walk.signal.aborted || error instanceof Unavailable) throw error;
    walk.unreadable(error as Error);
  }
  return tally.count;
}

async function walked(
  { log, codec, checks, between, signal }: LogWalk,
  after: Position,
  until: Position,
  tally: { count: number },
): Promise<void> {
  if (after >= until) return;
  for await (const { events } of log.subscribe(after, BATCH, signal)) {
    for (const stored of events) {
      if (stored.position > until) return;
      tally.count += 1;
      const event = decoded(codec, stored);
      for (const check of checks) {
        const taking = check.take(stored, event);
        if (taking !== undefined) await taking;
      }
      if (tally.count % PIECE === 0) {
        const resting = between(stored.position);
        if (resting !== undefined) await resting;
        if (signal.aborted) return;
      }
      if (stored.position === until) return;
    }
    // The log may end before a position that is none of its events.
    if (events.length === 0) return;
  }
}

function decoded(codec: Pick<Codec, 'decode'>, stored: Recorded): Recorded | undefined {
  try {
    return codec.decode(stored);
  } catch (error) {
    // A value that is no number where one is expected, and whatever a changed event makes of an upcaster.
    if (error instanceof UnreadableEvent || error instanceof TypeError) return undefined;
    throw error;
  }
}
