/** What differs from the interface, at one place of an answer. */
export interface Finding {
  /** The place, such as `body.purchase.coupons[0].state`. */
  readonly at: string;
  readonly kind: 'value' | 'missing key' | 'unlisted key' | 'order';
  readonly expected: string;
  readonly received: string;
}

/** Compares one value with what the interface says about it. */
export type Check = (value: unknown, at: string) => readonly Finding[];

/** A key that the interface does not promise in this answer; if it is there, its value is checked. */
export interface Optional {
  readonly optional: Check;
}

export type Fields = Readonly<Record<string, Check | Optional>>;

type Rows = Readonly<Record<string, unknown>>;

export const optional = (check: Check): Optional => ({ optional: check });

export function isObject(value: unknown): value is Rows {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONGEST = 120;

/** A value in a table. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A check of one value by a predicate. */
export function that(expected: string, holds: (value: unknown) => boolean): Check {
  return (value, at) => (holds(value) ? [] : [{ at, kind: 'value', expected, received: shown(value) }]);
}

export const anything: Check = () => [];
export const text = that('text', (value) => typeof value === 'string');
export const filled = that('text that is not empty', (value) => typeof value === 'string' && value !== '');
export const integer = that('an integer', (value) => Number.isSafeInteger(value));
export const float = that('a number', (value) => typeof value === 'number');
export const truth = that('true or false', (value) => typeof value === 'boolean');
export const hash = that('an object', isObject);

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

export const isoTime = that('an ISO 8601 time', (value) => typeof value === 'string' && ISO.test(value));
export const isoUtc = that(
  'an ISO 8601 time in UTC',
  (value) => typeof value === 'string' && ISO.test(value) && /(?:Z|[+-]00:?00)$/.test(value),
);
/** 2.5 */
export const readableTime = that(
  'a human-readable time, not ISO 8601',
  (value) => typeof value === 'string' && value !== '' && !ISO.test(value),
);
export const absoluteUrl = that('an absolute URL', (value) => typeof value === 'string' && /^https?:\/\//.test(value));
export const relativeUrl = that('a relative URL', (value) => typeof value === 'string' && !/^[a-z]+:/i.test(value));

export function exactly(expected: unknown): Check {
  return that(shown(expected), (value) => JSON.stringify(value) === JSON.stringify(expected));
}

export function oneOf(...values: readonly string[]): Check {
  return that(`one of ${values.join(', ')}`, (value) => typeof value === 'string' && values.includes(value));
}

export function nullable(check: Check): Check {
  return (value, at) => (value === null ? [] : check(value, at));
}

export function all(...checks: readonly Check[]): Check {
  return (value, at) => checks.flatMap((check) => check(value, at));
}

/** The interface allows several forms. Names what differs from the nearest one. */
export function either(...checks: readonly [Check, ...Check[]]): Check {
  return (value, at) =>
    checks.map((check) => check(value, at)).reduce((best, found) => (found.length < best.length ? found : best));
}

export function listOf(item: Check): Check {
  return (value, at) =>
    Array.isArray(value)
      ? value.flatMap((entry: unknown, index) => item(entry, `${at}[${index}]`))
      : [{ at, kind: 'value', expected: 'a list', received: shown(value) }];
}

/** A list with so many items. */
export function length(expected: string, holds: (count: number) => boolean): Check {
  return (value, at) =>
    Array.isArray(value) && holds(value.length)
      ? []
      : [{ at, kind: 'value', expected: `a list of ${expected}`, received: count(value) }];
}

export const notEmpty = length('one or more', (items) => items > 0);
export const exactLength = (items: number): Check => length(String(items), (received) => received === items);

function count(value: unknown): string {
  return Array.isArray(value) ? `a list of ${value.length}` : shown(value);
}

/**
 * An object with these keys, in this order: the order in which the interface lists them.
 * @param more `listed` if it has no other keys; `open` if the interface leaves that open, and the order too
 */
export function object(fields: Fields, more: 'listed' | 'open' = 'listed'): Check {
  return (value, at) => {
    if (!isObject(value)) return [{ at, kind: 'value', expected: 'an object', received: shown(value) }];
    const findings = Object.entries(fields).flatMap(([key, field]) => fieldOf(value, key, field, at));
    return more === 'open' ? findings : [...findings, ...unlisted(value, fields, at), ...order(value, fields, at)];
  };
}

function fieldOf(value: Rows, key: string, field: Check | Optional, at: string): readonly Finding[] {
  const place = `${at}.${key}`;
  const check = 'optional' in field ? field.optional : field;
  if (key in value) return check(value[key], place);
  return 'optional' in field ? [] : [{ at: place, kind: 'missing key', expected: 'this key', received: 'no such key' }];
}

function unlisted(value: Rows, fields: Fields, at: string): readonly Finding[] {
  return Object.keys(value)
    .filter((key) => !(key in fields))
    .map((key) => ({
      at: `${at}.${key}`,
      kind: 'unlisted key',
      expected: 'no such key in the interface',
      received: shown(value[key]),
    }));
}

function order(value: Rows, fields: Fields, at: string): readonly Finding[] {
  const expected = Object.keys(fields).filter((key) => key in value);
  const received = Object.keys(value).filter((key) => key in fields);
  const first = expected.findIndex((key, index) => key !== received[index]);
  if (first === -1) return [];
  const from = (keys: readonly string[]): string => keys.slice(first, first + 4).join(', ');
  return [{ at, kind: 'order', expected: `… ${from(expected)} …`, received: `… ${from(received)} …` }];
}

/** Two keys of an object have the same value. */
export function same(one: string, other: string): Check {
  return (value, at) =>
    isObject(value) && one in value && other in value && value[one] !== value[other]
      ? [
          {
            at: `${at}.${other}`,
            kind: 'value',
            expected: `the same as ${one}: ${shown(value[one])}`,
            received: shown(value[other]),
          },
        ]
      : [];
}

/** An item of the list has this id. */
export function has(id: string): Check {
  return that(`a list with ${id}`, (value) => ids(value).includes(id));
}

/** No item of the list has this id. */
export function lacks(id: string): Check {
  return that(`a list without ${id}`, (value) => Array.isArray(value) && !ids(value).includes(id));
}

function ids(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? item['id'] : undefined)) : [];
}

/** The times under this key rise, or fall, from item to item. */
export function sortedBy(key: string, direction: 'rising' | 'falling'): Check {
  return that(`a list with ${direction} ${key}`, (value) => {
    if (!Array.isArray(value)) return false;
    const times = value.map((item: unknown) => (isObject(item) ? Date.parse(String(item[key])) : Number.NaN));
    return times.every((time, index) => {
      const before = times[index - 1] ?? time;
      return direction === 'rising' ? before <= time : before >= time;
    });
  });
}

/** The integer stands somewhere in the value: the interface does not show under which key. */
export function mentions(expected: number): Check {
  return that(`somewhere the number ${expected}`, (value) => parts(value).includes(expected));
}

/** The value, and everything in it. */
export function parts(value: unknown): readonly unknown[] {
  const inner: readonly unknown[] = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return [value, ...inner.flatMap(parts)];
}
