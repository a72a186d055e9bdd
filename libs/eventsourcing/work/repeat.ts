import {
  eventPlace,
  MINUTE,
  streamName,
  type Decider,
  type EventBody,
  type Followers,
  type Position,
  type Recorded,
} from '#kernel';
import type { Codec } from '../codec.js';
import type { CommandContext } from '../command-loop/context.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import { madeAt } from '../ids.js';
import { later } from '../later.js';
import { pagesBack, readEvent, type StreamReader } from '../read-stream.js';
import { directivesOf } from './followers.view.js';
import { writeMissingFollowers, type Carrier } from './write-missing-followers.js';

/** By how much the clocks of two processes may differ. */
const CLOCKS_MAY_DIFFER = MINUTE;

/** What a search of a stream needs. */
interface Searcher {
  readonly loop: Pick<CommandLoop, 'read' | 'knownRevision'>;
  readonly log: StreamReader;
}

/** What a search of a stream needs that writes the missing followers of what it finds. */
type Completer = Carrier & Searcher & { readonly codec: Pick<Codec, 'decode'> };

/** What an earlier try of a command wrote in a stream. */
export interface Before {
  /** In their present versions, in order: at least one. */
  readonly events: readonly Recorded[];
  /** The position of the followers that were missing; undefined if none was. */
  readonly position: Position | undefined;
}

/**
 * What the first try of a command wrote in a stream before it broke off. That is then the command's outcome, whatever has
 * come since. A command finds what it creates by its own id; this is for what it changes.
 * @param types the stored types of the event
 * @returns undefined for a first try, which costs nothing, and for one that did not come so far
 */
export async function writtenBefore<C, S, E extends EventBody>(
  searcher: Searcher,
  { commandId, resumed }: CommandContext,
  decider: Decider<C, S, E>,
  id: string,
  ...types: readonly E['type'][]
): Promise<Recorded | undefined> {
  if (resumed !== true) return undefined;
  const isOwn = ({ type, metadata }: Recorded): boolean => types.includes(type) && metadata.command_id === commandId;
  return (await writtenSince(searcher, decider, id, madeAt(commandId), isOwn))[0];
}

/**
 * What earlier tries of a resumed command wrote in a stream. First writes the followers that a crash cut off.
 * @param followers those of the stream's category
 * @param concerns picks events of other commands whose followers the answer needs too
 * @returns undefined for a first try, which costs nothing, and for one that did not come so far
 * @throws Unavailable if it cannot write now
 */
export async function repeat<C, S, E extends EventBody>(
  engine: Completer,
  { commandId, resumed }: CommandContext,
  decider: Decider<C, S, E>,
  followers: Followers,
  id: string,
  concerns: (event: Recorded) => boolean = () => false,
): Promise<Before | undefined> {
  if (resumed !== true) return undefined;
  const isWanted = (event: Recorded): boolean =>
    event.metadata.command_id === commandId || concerns(engine.codec.decode(event));
  const stored = await writtenSince(engine, decider, id, madeAt(commandId), isWanted);
  if (stored.length === 0) return undefined;
  const events = stored.map((event) => engine.codec.decode(event));
  const directives = directivesOf([followers]);
  let position: Position | undefined;
  for (const event of events) {
    position = later(position, await writeMissingFollowers(engine, event, directives(event)));
  }
  return { events, position };
}

/** A decision that a command of another id has taken. */
export interface Sought {
  /** Events of its followers, if there are any. They name it as their cause, so it costs one read. */
  readonly followed: readonly Recorded[];
  /** The lowest revision that it may have. Without a follower, it is searched from the stream’s end back to here. */
  readonly to: number;
  readonly fits: (decision: Recorded) => boolean;
}

/**
 * Writes the missing followers of a decision, to answer a command that asks for the same again.
 * @param followers those of the stream's category
 * @returns the position of what it wrote; undefined if nothing was missing, or if there is no such decision
 * @throws Unavailable if it cannot write now
 */
export async function completeDecision<C, S, E extends EventBody>(
  engine: Completer,
  decider: Decider<C, S, E>,
  followers: Followers,
  id: string,
  sought: Sought,
): Promise<Position | undefined> {
  const decision = (await namedCause(engine, decider, id, sought)) ?? (await findBack(engine, decider, id, sought));
  return decision && writeMissingFollowers(engine, decision, directivesOf([followers])(decision));
}

async function namedCause(
  { log, codec }: Completer,
  { category }: { readonly category: string },
  id: string,
  { followed, fits }: Sought,
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
  { loop, log, codec }: Completer,
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

/** The events of a stream that fit, in order, of those that were written since an instant. */
async function writtenSince<C, S, E extends EventBody>(
  { loop, log }: Searcher,
  decider: Decider<C, S, E>,
  id: string,
  since: number,
  fits: (event: Recorded) => boolean,
): Promise<readonly Recorded[]> {
  await loop.read(decider, id);
  const found: Recorded[][] = [];
  for await (const page of pagesBack(log, streamName(decider.category, id), loop.knownRevision(decider, id))) {
    found.unshift(page.filter(fits));
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
