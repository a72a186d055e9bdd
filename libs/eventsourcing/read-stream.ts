import { streamName, type Decider, type EventBody, type Recorded } from '#kernel';
import type { Codec } from './codec.js';
import type { CommandContext } from './command-loop/context.js';
import { type EventLogReader, isLastPage, type Page } from './ports/event-log.js';

/** The part of the log that reads streams. */
export type StreamReader = Pick<EventLogReader, 'readStream'>;

/** Events per read. */
const PAGE = 1_000;

/** The stored events of a stream from a revision to its end, page by page. */
export async function* pagesOf(log: StreamReader, stream: string, from = 0): AsyncGenerator<Page, void> {
  for (let revision = from; ;) {
    const page = await log.readStream(stream, revision, PAGE);
    yield page;
    if (isLastPage(page, PAGE)) return;
    revision += page.length;
  }
}

/**
 * The event of a stream with this revision.
 * @returns undefined if the log lacks it: an operator may have accepted that somebody cut the stream
 * @throws Unavailable if the stream is cut, and nobody has accepted that
 */
export async function readEvent(log: StreamReader, stream: string, revision: number): Promise<Recorded | undefined> {
  const [event] = await log.readStream(stream, revision, 1);
  if (event?.revision === revision) return event;
  // From its beginning, a cut stream is known as one even if nothing is left of it.
  await log.readStream(stream, 0, 1);
  return undefined;
}

/** All events of a stream, in order and in their present versions. */
export async function readWhole(
  { log, codec }: { readonly log: StreamReader; readonly codec: Pick<Codec, 'decode'> },
  stream: string,
): Promise<readonly Recorded[]> {
  const events: Recorded[] = [];
  for await (const page of pagesOf(log, stream)) events.push(...page.map((event) => codec.decode(event)));
  return events;
}

/**
 * What the first try of a command wrote in a stream before it broke off. That is then the command's outcome, whatever has
 * come since. A command finds what it creates by its own id; this is for what it changes.
 * @param types the stored types of the event
 * @returns undefined for a first try, which costs nothing, and for one that did not come so far
 */
export async function writtenBefore<C, S, E extends EventBody>(
  { log }: { readonly log: StreamReader },
  { commandId, resumed }: CommandContext,
  { category }: Pick<Decider<C, S, E>, 'category' | 'evolve'>,
  id: string,
  ...types: readonly E['type'][]
): Promise<Recorded | undefined> {
  if (resumed !== true) return undefined;
  for await (const page of pagesOf(log, streamName(category, id))) {
    const own = page.find((event) => types.includes(event.type) && event.metadata.command_id === commandId);
    if (own !== undefined) return own;
  }
  return undefined;
}
