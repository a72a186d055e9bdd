import type { Decider, EventBody, Instant } from '#kernel';
import type { CommandLoop } from './command-loop.js';
import { boundedBytes } from './event-size.js';

/**
 * Decides commands on one aggregate one after another and writes nothing. Use it for a request of several decisions, so that
 * the first is not written if a later one is refused. It reads the log, because what it accepts is written at once.
 * @returns how many events they would write
 * @throws DomainError as `CommandLoop.execute` would; also if another program has begun the stream
 */
export async function rehearse<C, S, E extends EventBody>(
  loop: CommandLoop,
  decider: Decider<C, S, E>,
  id: string,
  commands: readonly C[],
  now: Instant,
): Promise<number> {
  let state: S = await loop.readNow(decider, id);
  await loop.assertOwn(decider, id);
  let next = 0;
  for (const command of commands) {
    // Revisions of its own: nothing of this is written.
    const events = decider.decide(command, state, now, next);
    next += events.length;
    events.forEach(boundedBytes);
    state = events.reduce<S>((after, event) => decider.evolve(after, event), state);
  }
  return next;
}
