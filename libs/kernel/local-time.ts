import { DAY, type Instant } from './instant.js';

/**
 * The instant of a local time in an IANA zone, with the daylight saving time of that day.
 * @param local ISO 8601 without an offset, such as `2028-06-30T23:59:59`
 * @returns a message that says why there is no such instant, or no single one
 */
export function instantAt(local: string, zone: string): Instant | string {
  const asUtc = Date.parse(`${local}Z`);
  // A zone has at most one change of its offset within two days.
  const offsets = new Set([offsetAt(asUtc - DAY, zone), offsetAt(asUtc + DAY, zone)]);
  const [one, other] = [...offsets].filter((offset) => offsetAt(asUtc - offset, zone) === offset);
  if (one === undefined) return `is no time in ${zone}: clocks go forward over it`;
  if (other !== undefined) {
    return `is twice in ${zone}, when clocks go back: send ${local}${textOf(one)} or ${local}${textOf(other)}`;
  }
  return asUtc - one;
}

/** `-04:00`: an offset as ISO 8601 writes it. */
function textOf(offset: number): string {
  const time = new Date(Math.abs(offset)).toISOString().slice(11, 16);
  return `${offset < 0 ? '-' : '+'}${time}`;
}

/** Milliseconds that local time is ahead of UTC. */
function offsetAt(instant: Instant, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(instant);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  // `GMT` for UTC itself; seconds only long ago.
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(offset) ?? [];
  const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ahead : ahead;
}
