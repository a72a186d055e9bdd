import { DAY, utcTime, type Instant } from '#kernel';

/** The UTC day of an instant, as `2013-10-25`. */
export function dayOf(instant: Instant): string {
  return utcTime(instant).slice(0, 10);
}

/** Whether an instant lies in the next UTC day, without its first and last midnight (ruling F2). */
export function isTomorrow(instant: Instant, now: Instant): boolean {
  const midnight = (Math.floor(now / DAY) + 1) * DAY;
  return instant > midnight && instant < midnight + DAY;
}

/** The id of the stream that has a partner's day. */
export function scheduleId(partnerId: string, instant: Instant): string {
  return `${partnerId}-${dayOf(instant)}`;
}
