import { causationOf, type FollowUp, type Position, type Recorded } from '#kernel';
import type { CommandLoop } from '../command-loop/command-loop.js';
import { later } from '../events/later.js';
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
