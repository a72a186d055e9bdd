/** A point in time: whole milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

/** `2013-10-25T06:59:59Z` (ruling B1). */
export function utcTime(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-26T20:15:00Z`, or `2026-11-26T20:15:00.250Z` if it has milliseconds: exact, and what operators' calls take. */
export function isoTime(instant: Instant): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z');
}
