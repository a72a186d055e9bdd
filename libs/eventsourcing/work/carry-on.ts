import { causationOf, type Directive, type Position, type Recorded } from '#kernel';
import type { CommandLoop } from '../command-loop/command-loop.js';
import { newContext, type Origin } from './open-work.js';

/**
 * Writes what follows in other streams from a decision that is in the log, as far as it is missing there.
 * @param directives what the decision calls for, or some of it
 * @returns the last position that it wrote; undefined when all was there
 * @throws Unavailable when it cannot be written now
 */
export async function carryOn(
  origin: Origin & { readonly loop: CommandLoop },
  decision: Recorded,
  directives: readonly Directive[],
): Promise<Position | undefined> {
  const { actor, correlation, time } = decision.metadata;
  const cause = { causation: causationOf(decision), time };
  const written = await Promise.all(
    directives.map((each) => origin.loop.direct(each, { ...newContext(origin, actor), correlation }, cause)),
  );
  return written.reduce<Position | undefined>(
    (last, { position }) => (position === undefined || (last !== undefined && last > position) ? last : position),
    undefined,
  );
}
