import { causationOf, streamName, type Followers, type FollowUp, type Position, type Recorded } from '#kernel';
import type { Codec } from '../codec.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import { later } from '../later.js';
import type { EventLogReader } from '../ports/event-log.js';
import { pagesOf } from '../read-stream.js';
import { directivesOf } from './followers.view.js';
import { newContext, type Origin } from './open-work.js';

/** What writing followers needs. */
export type Carrier = Origin & { readonly loop: CommandLoop };

/**
 * Writes the followers of a decision in the log that are missing.
 * @param directives the decision's followers, or some of them
 * @returns the last position that it wrote; undefined if nothing was missing
 * @throws Unavailable if it cannot write now
 */
export async function writeMissingFollowers(
  origin: Carrier,
  decision: Recorded,
  directives: readonly FollowUp[],
): Promise<Position | undefined> {
  const { actor, correlation, time } = decision.metadata;
  const cause = { causation: causationOf(decision), time };
  const written = await Promise.all(
    directives.map((each) => origin.loop.direct(each, { ...newContext(origin, actor), correlation }, cause)),
  );
  return written.reduce<Position | undefined>((last, { position }) => later(last, position), undefined);
}

/**
 * The same for decisions of one stream, one after another. Use it to answer a repeat: the process that decided may have died
 * before it wrote the followers, and with APIs alone nobody else writes them. It reads the log itself, because another
 * process may have just decided.
 * @param followers those of the stream's category
 * @param id of the aggregate
 * @param concerns picks the decisions
 * @param from the revision to begin at
 * @returns the last position that it wrote; undefined if nothing was missing
 * @throws Unavailable if it cannot write now
 */
export async function writeAllMissingFollowers(
  engine: Carrier & { readonly log: EventLogReader; readonly codec: Codec },
  followers: Followers,
  id: string,
  concerns: (decision: Recorded) => boolean,
  from = 0,
): Promise<Position | undefined> {
  const stream = streamName(followers.category, id);
  const directives = directivesOf([followers]);
  let last: Position | undefined;
  for await (const page of pagesOf(engine.log, stream, from)) {
    for (const decision of page.map((event) => engine.codec.decode(event)).filter(concerns)) {
      last = later(last, await writeMissingFollowers(engine, decision, directives(decision)));
    }
  }
  return last;
}
