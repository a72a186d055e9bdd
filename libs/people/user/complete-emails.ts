import { carryOnAll, type Engine } from '#eventsourcing';
import type { EventBody, Position } from '#kernel';
import { email, type EmailState } from './email.decider.js';
import type { EmailEvent } from './email.events.js';
import { emailFollowers } from './email.followers.js';
import { user, type UserState } from './user.decider.js';
import { userFollowers } from './user.followers.js';

// An address and its user have a stream each. The process that decided in one may have died before it wrote the other, and
// where only APIs run no work list writes it: whoever answers a repeat of the command writes it first.

/**
 * Lets a user follow the address that they hold: registers them, or moves them to it, where that is missing.
 * @param address the stream of the address, as it is now
 * @returns how far it wrote, if it had to
 * @throws Unavailable when it cannot be written now
 */
export async function completeHolder(
  engine: Engine,
  address: string,
  { user_id, taking, change_id }: EmailState,
): Promise<Position | undefined> {
  if (user_id === null) return undefined;
  const holder = await engine.loop.read(user, user_id);
  // Whoever is registered with an address has it from the beginning.
  const follows = holder !== null && (change_id === null || (holder.takings[address] ?? 0) >= taking);
  if (follows) return undefined;
  return carryOnAll(
    engine,
    emailFollowers,
    address,
    (event) => (event as EventBody as EmailEvent).data.user_id === user_id,
  );
}

/**
 * Frees the addresses that a user has given back, where that is missing.
 * @returns how far it wrote, if it had to
 * @throws Unavailable when it cannot be written now
 */
export async function completeReleases(engine: Engine, state: UserState): Promise<Position | undefined> {
  const { user_id, takings, address, left } = state;
  const given = Object.entries(takings).filter(([each]) => each !== address && !left.includes(each));
  const freed = await Promise.all(
    given.map(async ([each, taking]) => (await engine.loop.read(email, each)).freed >= taking),
  );
  return freed.includes(false) ? carryOnAll(engine, userFollowers, user_id, () => true) : undefined;
}
