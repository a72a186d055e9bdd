import { eventPlace, MINUTE, streamName, type Decider, type EventBody, type Recorded } from '#kernel';
import type { Codec } from '../events/codec.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import { pagesBack, readEvent, type StreamReader } from '../events/read-stream.js';

/** By how much the clocks of two processes may differ. */
const CLOCKS_MAY_DIFFER = MINUTE;

/** What a search of a stream needs. */
export interface Searcher {
  readonly loop: Pick<CommandLoop, 'read' | 'knownRevision'>;
  readonly log: StreamReader;
  readonly codec: Pick<Codec, 'decode'>;
}

/** A decision that an earlier command has taken. */
export interface Sought {
  readonly fits: (decision: Recorded) => boolean;
  /** Events of its followers, if there are any. They name it as their cause, so it costs one read. */
  readonly followed?: readonly Recorded[];
  /** The lowest revision that it may have. Without a follower, it is searched from the stream’s end back to here. */
  readonly to?: number;
}

/** The last decision of a stream that fits, in its present version; undefined if there is none. */
export async function soughtDecision<C, S, E extends EventBody>(
  searcher: Searcher,
  decider: Decider<C, S, E>,
  id: string,
  sought: Sought,
): Promise<Recorded | undefined> {
  return (await namedCause(searcher, decider, id, sought)) ?? findBack(searcher, decider, id, sought);
}

async function namedCause(
  { log, codec }: Searcher,
  { category }: { readonly category: string },
  id: string,
  { followed = [], fits }: Sought,
): Promise<Recorded | undefined> {
  const stream = streamName(category, id);
  for (const { metadata } of followed) {
    const cause = metadata.causation === null ? undefined : eventPlace(metadata.causation);
    if (cause?.stream !== stream) continue;
    const event = await readEvent(log, stream, cause.revision);
    const decision = event && codec.decode(event);
    if (decision !== undefined && fits(decision)) return decision;
  }
  return undefined;
}

/** The last decision that fits: one near the stream's end costs one page. */
async function findBack<C, S, E extends EventBody>(
  { loop, log, codec }: Searcher,
  decider: Decider<C, S, E>,
  id: string,
  { to, fits }: Sought,
): Promise<Recorded | undefined> {
  await loop.read(decider, id);
  for await (const page of pagesBack(log, streamName(decider.category, id), loop.knownRevision(decider, id), to)) {
    const found = page.map((event) => codec.decode(event)).findLast(fits);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The events of a stream that are wanted, in order, of those that were written since an instant. Reads back from the stream's end,
 * and not further than that instant.
 * @param wanted the event in its present version, from its stored one; undefined if it is not wanted
 */
export async function writtenSince<C, S, E extends EventBody>(
  { loop, log }: Searcher,
  decider: Decider<C, S, E>,
  id: string,
  since: number,
  wanted: (stored: Recorded) => Recorded | undefined,
): Promise<readonly Recorded[]> {
  await loop.read(decider, id);
  const found: Recorded[][] = [];
  for await (const page of pagesBack(log, streamName(decider.category, id), loop.knownRevision(decider, id))) {
    found.unshift(page.map(wanted).filter((event) => event !== undefined));
    if (isBefore(page, since - CLOCKS_MAY_DIFFER)) break;
  }
  return found.flat();
}

/**
 * Whether a page was written before an instant. It has at least one decision, and all of them are from before. One alone proves
 * nothing: its process may not yet have known that an operator moved the clock. A follower has the time of its cause, which may
 * be hours older.
 */
function isBefore(page: readonly Recorded[], instant: number): boolean {
  const decisions = page.filter(isDecision);
  return decisions.length > 0 && decisions.every(({ metadata: { time } }) => time < instant);
}

/** Whether an event follows from none in another stream. */
function isDecision({ stream, metadata: { causation } }: Recorded): boolean {
  return causation === null || eventPlace(causation)?.stream === stream;
}
