import { type Writer } from '#eventsourcing';
import type { EventBody, Position } from '#kernel';
import { email, type EmailState } from './email.decider.js';
import type { EmailEvent } from './email.events.js';
import { user, type UserState } from './user.decider.js';

// An address and its user have one stream each. A process that decided in one may have died before its followers wrote to the
// other, and without a worker no work list does it. So whoever answers a repeat of the command first writes what is missing.

/**
 * Writes what the stream of an address's user misses: their registration, or their move to the address.
 * @param address the stream id of the address; the last parameter is its present state
 * @returns the position of what it wrote, if anything was missing
 * @throws Unavailable if it cannot write now
 */
export async function completeHolder(
  writer: Writer,
  address: string,
  { user_id, taking, change_id }: EmailState,
): Promise<Position | undefined> {
  if (user_id === null) return undefined;
  const holder = await writer.read(user, user_id);
  // Without an exchange, the user has the address from their registration.
  const follows = holder !== null && (change_id === null || (holder.takings[address] ?? 0) >= taking);
  if (follows) return undefined;
  return writer.complete(email, address, {
    fits(event) {
      const { type, data } = event as EventBody as EmailEvent;
      return type !== 'email-freed.v1' && data.user_id === user_id;
    },
  });
}

const RELEASES: ReadonlySet<string> = new Set(['user-emails-released.v1', 'user-erased.v1']);

/**
 * Frees the addresses that the user released last, if their streams miss it. Whoever lets a user release more does this before,
 * so those of earlier releases are free.
 * @returns the position of what it wrote, if anything was missing
 * @throws Unavailable if it cannot write now
 */
export async function completeReleases(
  writer: Writer,
  { user_id, released }: UserState,
): Promise<Position | undefined> {
  const freed = await Promise.all(
    released.map(async ({ address, taking }) => (await writer.read(email, address)).freed >= taking),
  );
  return freed.includes(false) ? writer.complete(user, user_id, { fits: ({ type }) => RELEASES.has(type) }) : undefined;
}
