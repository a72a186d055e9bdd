import { isoTime } from '#kernel';

/** The names of all instants in events: a spec compares them with the types that declare them. */
export const NAME_OF_INSTANT = /(_at|_date)$|^(deadline|until)$/;

/** Objects whose content is a partner's or an operator's own: their numbers stay as they were sent. */
const FREE = new Set(['partner_data', 'custom_data']);

/** An event's data with its instants as ISO 8601, as operators and auditors send them (ruling B1). */
export function withShownTimes(data: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (typeof value === 'number') return NAME_OF_INSTANT.test(name) ? isoTime(value) : value;
  if (typeof value !== 'object' || value === null || FREE.has(name)) return value;
  return Array.isArray(value) ? value.map((each) => shown('', each)) : withShownTimes(value);
}
