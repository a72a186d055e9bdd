import type { Recorded } from '#kernel';
import type { Codec } from './codec.js';
import { type EventLogReader, isLastPage, type Page } from '../ports/event-log.js';

/** The part of the log that reads streams. */
export type StreamReader = Pick<EventLogReader, 'readStream'>;

/** Events per read. */
const PAGE = 1_000;
/** Events per read backwards: what is looked for is mostly near the end. */
const PAGE_BACK = 500;

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
 * The stored events of a stream from its end back to a revision, page by page. The events of a page are in their order.
 * @param known a revision that the stream has; -1 if none is known, which costs a read of the whole stream
 * @param to the lowest revision that it reads
 */
export async function* pagesBack(
  log: StreamReader,
  stream: string,
  known: number,
  to = 0,
): AsyncGenerator<readonly Recorded[], void> {
  let end = known;
  for await (const newer of pagesOf(log, stream, known + 1)) end = newer.at(-1)?.revision ?? end;
  for (; end >= to; end -= PAGE_BACK) yield await between(log, stream, Math.max(to, end - PAGE_BACK + 1), end);
}

/** The events from one revision to another, of which a page may hold only some. */
async function between(log: StreamReader, stream: string, first: number, last: number): Promise<readonly Recorded[]> {
  const events: Recorded[] = [];
  for (let from = first; from <= last;) {
    const page = await log.readStream(stream, from, last + 1 - from);
    events.push(...page.filter(({ revision }) => revision <= last));
    from = (page.at(-1)?.revision ?? last) + 1;
  }
  return events;
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
