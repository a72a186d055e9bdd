import { idOf, type Recorded } from '#kernel';

/** A partner's day after an event, by the log. */
export interface DayAt {
  readonly position: bigint;
  /** How many users are in a batch of that day. */
  readonly users: number;
}

interface Scheduled {
  readonly batch_id: string;
  readonly scheduled: number;
  readonly user_ids?: readonly string[];
}

/**
 * The users of every partner's day at every position, counted from the users alone: by `<partner>-<day>`.
 * @throws Error for a user in two batches of a day, and for a count in an event that does not agree (ruling F3)
 */
export function usersByDay(events: readonly Recorded[]): ReadonlyMap<string, readonly DayAt[]> {
  const days = new Map<string, { at: DayAt[]; users: Map<string, string> }>();
  for (const { stream, revision, position, type, data } of events) {
    if (!stream.startsWith('schedule-')) continue;
    const { batch_id, scheduled, user_ids } = data as Scheduled;
    let day = days.get(idOf(stream));
    if (day === undefined) days.set(idOf(stream), (day = { at: [], users: new Map() }));
    const { at, users } = day;
    const where = `${stream}@${revision}`;
    switch (type) {
      case 'users-scheduled.v1':
        for (const user of user_ids ?? []) {
          const other = users.get(user);
          if (other !== undefined) throw new Error(`${where} schedules ${user}, who is in batch ${other}`);
          users.set(user, batch_id);
        }
        break;
      case 'users-freed.v1':
        for (const [user, its] of users) if (its === batch_id) users.delete(user);
        break;
      default:
        throw new Error(`${where} is a ${type}, which this fold does not know`);
    }
    if (users.size !== scheduled) throw new Error(`${where} counts ${scheduled} users, and there are ${users.size}`);
    at.push({ position, users: users.size });
  }
  return new Map([...days].map(([day, { at }]) => [day, at]));
}
