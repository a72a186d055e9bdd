import { DateTime } from 'luxon';
import type { Instant } from '#kernel';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Fri Dec 16 19:11:15 UTC 2011` (ruling B1). */
export function unixDateTime(instant: Instant): string {
  const date = new Date(instant);
  const day = String(date.getUTCDate()).padStart(2, '0');
  const time = date.toISOString().slice(11, 19);
  return `${DAYS[date.getUTCDay()] ?? ''} ${MONTHS[date.getUTCMonth()] ?? ''} ${day} ${time} UTC ${date.getUTCFullYear()}`;
}

/** `2013-12-17T23:59:59-08:00`: the local time of an IANA zone, with its offset (ruling B1). */
export function localTime(instant: Instant, zone: string): string {
  return DateTime.fromMillis(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
}

/** `17 December 2013, 23:59 PST`: a time for people to read, in an IANA zone. */
export function readableTime(instant: Instant, zone: string): string {
  const time = DateTime.fromMillis(instant, { zone, locale: 'en-US' }).toFormat('d LLLL yyyy, HH:mm');
  return `${time} ${abbreviation(instant, zone)}`;
}

/** Making a format costs a hundred times its use. There is one for each zone that the system knows, a few hundred at most. */
const ABBREVIATIONS = new Map<string, Intl.DateTimeFormat>();

/** `PST`: the short name of a zone at an instant. */
function abbreviation(instant: Instant, zone: string): string {
  let format = ABBREVIATIONS.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' });
    ABBREVIATIONS.set(zone, format);
  }
  return format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}
