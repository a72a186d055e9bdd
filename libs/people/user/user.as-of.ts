import type { Past } from '#eventsourcing';
import { streamName, type EventBody } from '#kernel';
import type { UserEvent } from './user.events.js';
import { userAfter, type UserRow } from './user.row.js';

/** A user as they were; undefined if there was none, or if they were hidden (rulings G7.2, E1). */
export async function userAsOf(past: Past, id: string): Promise<UserRow | undefined> {
  const events = await past.events(streamName('user', id));
  const row = events.reduce<UserRow | undefined>(
    (before, event) => userAfter(before, event as EventBody as UserEvent),
    undefined,
  );
  return row?.deleted === false ? row : undefined;
}
