import { DAY, MINUTE, type Instant } from '#kernel';

const HOUR = 60 * MINUTE;

/** Every hour from two days before an instant to two days after another one. */
export function hoursAround(first: Instant, last: Instant): readonly Instant[] {
  const hours = Math.ceil((last - first + 4 * DAY) / HOUR);
  return Array.from({ length: hours + 1 }, (_, hour) => first - 2 * DAY + hour * HOUR);
}

/**
 * The times at which a page that is remembered shows something else than one that is made at that time: what the clock alone
 * changes in an item belongs to its `turns` (`ReadItem`).
 * @param newMemory makes a memory without any page, and returns what asks it for the page at a time
 */
export async function timesOfStalePages(
  newMemory: () => (now: Instant) => Promise<string>,
  times: readonly Instant[],
): Promise<readonly Instant[]> {
  const remembered = newMemory();
  const stale: Instant[] = [];
  for (const now of [...times, ...times.toReversed()]) {
    if ((await remembered(now)) !== (await newMemory()(now))) stale.push(now);
  }
  return stale;
}
