import { type Decided, type Directive, type EventBody, type EventMetadata, type Instant } from '#kernel';
import type { EventIds } from '../events/ids.js';
import { MAX_APPEND_BYTES, MAX_APPEND_EVENTS, type Append } from '../ports/event-log.js';
import { approximateBytes, boundedBytes } from './event-size.js';
import type { Pending, StreamEntry } from './stream-entry.js';

/** A command and its decision. */
export interface DecidedCommand {
  readonly pending: Pending;
  readonly events: readonly Decided[];
  /** About how many bytes each of the events has. */
  readonly sizes: readonly number[];
  /** The state after each of the events. */
  readonly states: readonly unknown[];
  /** The refusal; undefined if the command was not refused. */
  readonly error: unknown;
  readonly state: unknown;
}

/**
 * Decides waiting commands one after another, each on the state after the ones before it, until one append is full. Refuses
 * a command with an event that no append can hold. Decided commands leave the queue; their events count only once they are
 * on disk.
 * @returns the commands, and about how many bytes all their events have
 */
export function decideWaiting(
  entry: StreamEntry,
  now: Instant,
  ids: EventIds,
): { readonly decided: readonly DecidedCommand[]; readonly bytes: number } {
  const decided: DecidedCommand[] = [];
  let { state, revision } = entry;
  let count = 0;
  let bytes = 0;
  let taken = 0;
  for (const pending of entry.waiting) {
    taken += 1;
    if (pending.settled) continue;
    try {
      const time = pending.cause?.time ?? now;
      const bodies = pending.read ? [] : entry.decider.decide(pending.command, state, time, revision + 1);
      const events = envelop(entry.stream, revision, bodies, pending, now, ids);
      const sizes = events.map((event) => boundedBytes(event));
      const size = sizes.reduce((sum, each) => sum + each, 0);
      const full = count + events.length > MAX_APPEND_EVENTS || bytes + size > MAX_APPEND_BYTES;
      if (full && count > 0 && events.length > 0) {
        // The command is decided again for the next append: events that fit one append are never split.
        taken -= 1;
        break;
      }
      const states = events.map((event): unknown => (state = entry.decider.evolve(state, event)));
      revision += events.length;
      count += events.length;
      bytes += size;
      decided.push({ pending, events, sizes, states, error: undefined, state });
    } catch (error) {
      decided.push({ pending, events: [], sizes: [], states: [], error, state });
    }
  }
  entry.waiting = taken === entry.waiting.length ? [] : entry.waiting.slice(taken);
  return { decided, bytes };
}

/** Decides one directive on the known state of its stream; undefined if it leads to no event. */
export function decideDirective(
  target: StreamEntry,
  directive: Directive,
  pending: Pending,
  ids: EventIds,
): Decided[] | undefined {
  try {
    const bodies = target.decider.decide(directive.command, target.state, timeOf(pending), target.revision + 1);
    if (bodies.length === 0) return undefined;
    return envelop(target.stream, target.revision, bodies, pending, timeOf(pending), ids);
  } catch {
    // It is decided again on the stream as it is in the log, where a refusal shows.
    return undefined;
  }
}

function timeOf(pending: Pending): Instant {
  if (pending.cause === undefined) throw new Error('a follower needs its cause');
  return pending.cause.time;
}

function envelop(
  stream: string,
  revision: number,
  bodies: readonly EventBody[],
  pending: Pending,
  now: Instant,
  ids: EventIds,
): Decided[] {
  if (bodies.length === 0) return [];
  const { context, cause } = pending;
  const metadata: EventMetadata = {
    time: cause?.time ?? now,
    command_id: context.commandId,
    correlation: context.correlation,
    causation: cause?.causation ?? context.causation ?? null,
    actor: context.actor,
  };
  return bodies.map((body, index) => ({
    id: ids.next(),
    stream,
    revision: revision + 1 + index,
    type: body.type,
    data: body.data,
    metadata,
  }));
}

/** The events of one append in the log's form. */
export function toAppend(events: readonly Decided[]): Append {
  const [first] = events;
  if (first === undefined) throw new Error('an append has at least one event');
  return { stream: first.stream, expected: first.revision - 1, events };
}

/**
 * Splits events at the bounds of one append. Only a command with more events than one append holds gets several parts; its
 * decider orders them so that each beginning makes sense alone.
 * @param known about how many bytes they have, if known
 */
export function splitAppend(events: readonly Decided[], known = Infinity): (readonly Decided[])[] {
  if (events.length === 0) return [];
  if (events.length === 1 || (events.length <= MAX_APPEND_EVENTS && known <= MAX_APPEND_BYTES)) return [events];
  const pieces: Decided[][] = [];
  let piece: Decided[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = approximateBytes(event.data);
    if (piece.length >= MAX_APPEND_EVENTS || (piece.length > 0 && bytes + size > MAX_APPEND_BYTES)) {
      pieces.push(piece);
      piece = [];
      bytes = 0;
    }
    piece.push(event);
    bytes += size;
  }
  if (piece.length > 0) pieces.push(piece);
  return pieces;
}
