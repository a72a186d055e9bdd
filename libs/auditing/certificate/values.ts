import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '#kernel';

/** The data of an event that nobody has checked: a log that somebody has changed may hold anything. */
export type Data = Readonly<Record<string, unknown>>;

/** The data of nothing. */
export const NO_DATA: Data = {};

/** An integer; 0 for anything else. */
export const integer = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);

/** A text; empty for anything else. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An object; one without fields for anything else. */
export const object = (value: unknown): Data => (isObject(value) ? value : NO_DATA);

/** The objects of a list, and none of anything else. */
export const objects = (value: unknown): readonly Data[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The texts of a list, and none of anything else. */
export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

/** A time of the export; 0 for anything else. */
export function instant(value: unknown): Instant {
  return typeof value === 'string' && TIME.test(value) ? Date.parse(value) || 0 : 0;
}

/** Whether two values are the same. What is missing is the same as null. */
export const same = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one ?? null, other ?? null);

/** Whether all of these fields are the same in both. */
export const sameFields = (one: Data, other: Data, names: readonly string[]): boolean =>
  names.every((name) => same(one[name], other[name]));

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
