const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** A number, with commas. */
export const count = (of: number): string => NUMBER.format(of);
/** An amount in cents. */
export const money = (cents: number): string => MONEY.format(cents / 100);

/** The words for a number of things: `1 unit`, `2 units`. */
export const things = (of: number, one: string, many = `${one}s`): string => `${count(of)} ${of === 1 ? one : many}`;

/** A moment of today as a time, any other with its day, in the zone of whoever looks. */
export function moment(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return at.toDateString() === new Date().toDateString() ? TIME.format(at) : DAY_AND_TIME.format(at);
}

const UNITS = [
  [86_400, 'day'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** A span, in the two units that say most: `3 h 20 min`, `42 s`, `80 ms`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  let left = Math.round(milliseconds / 1_000);
  if (left < 60) return milliseconds < 10_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : `${left} s`;
  const parts: string[] = [];
  for (const [seconds, unit] of UNITS) {
    const of = Math.floor(left / seconds);
    left -= of * seconds;
    if (of > 0) parts.push(`${of} ${unit === 'day' && of !== 1 ? 'days' : unit}`);
  }
  if (left > 0) parts.push(`${left} s`);
  return parts.slice(0, 2).join(' ');
}

/** A span in the one unit that says most: `3 h`. */
export const roughSpan = (milliseconds: number): string => span(milliseconds).split(' ').slice(0, 2).join(' ');

/** Bytes in the unit that says most. */
export function bytes(of: number): string {
  if (of < 1_000) return `${of} B`;
  if (of < 1_000_000) return `${count(of / 1_000)} kB`;
  return of < 1_000_000_000 ? `${count(of / 1_000_000)} MB` : `${count(of / 1_000_000_000)} GB`;
}

/** A state or name of a field, for people: `in-flight` and `in_flight` become “in flight”. */
export const words = (name: string): string => name.replaceAll(/[_-]/g, ' ');

/** The beginning of a long id, which is enough to tell it from others on a page. */
export const shortId = (id: string): string => (/^[0-9a-f]{32}$/.test(id) ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);
