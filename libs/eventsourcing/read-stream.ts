import { streamName, type Decider, type EventBody, type Recorded } from '#kernel';
import type { Codec } from './codec.js';
import type { CommandContext } from './command-loop/context.js';
import type { EventLogReader } from './ports/event-log.js';

/** The log, as far as streams are read from it. */
export type StreamReader = Pick<EventLogReader, 'readStream'>;

/** Events that are read at once. */
const PAGE = 1_000;

/** The events of a stream from a revision to its end, page by page, as they were stored. */
export async function* pagesOf(log: StreamReader, stream: string, from = 0): AsyncGenerator<readonly Recorded[], void> {
  for (let revision = from; ; revision += PAGE) {
    const page = await log.readStream(stream, revision, PAGE);
    yield page;
    if (page.length < PAGE) return;
  }
}

/** Every event of a stream, in its order and in the present form, however many there are. */
export async function readWhole(
  { log, codec }: { readonly log: StreamReader; readonly codec: Pick<Codec, 'decode'> },
  stream: string,
): Promise<readonly Recorded[]> {
  const events: Recorded[] = [];
  for await (const page of pagesOf(log, stream)) events.push(...page.map((event) => codec.decode(event)));
  return events;
}

/**
 * What the first try of a command has written in a stream, where it broke off after that: then this is its outcome, whatever
 * has come since. What a command makes under an id of its own it finds by that id; this is for what it changes.
 * @param type of the event, as it is stored
 * @returns undefined for a first try, which costs nothing, and for one that did not come so far
 */
export async function writtenBefore<C, S, E extends EventBody>(
  { log }: { readonly log: StreamReader },
  { commandId, resumed }: CommandContext,
  { category }: Pick<Decider<C, S, E>, 'category' | 'evolve'>,
  id: string,
  type: E['type'],
): Promise<Recorded | undefined> {
  if (resumed !== true) return undefined;
  for await (const page of pagesOf(log, streamName(category, id))) {
    const own = page.find((event) => event.type === type && event.metadata.command_id === commandId);
    if (own !== undefined) return own;
  }
  return undefined;
}
