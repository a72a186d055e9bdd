import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Scalar } from '#kernel';

/**
 * Booleans are stored as blobs of one byte. So `true` never equals 1, and SQLite's order of types (null, numbers, strings,
 * blobs) is the order of the query language: null, numbers, strings by code point, false, true.
 */
const FALSE = new Uint8Array([0]);
const TRUE = new Uint8Array([1]);

/** The empty string comes after every number and the empty blob after every string: they bound a range within one type. */
export const AFTER_NUMBERS = "''";
export const AFTER_STRINGS = "x''";

export function toSql(scalar: Scalar): SQLInputValue {
  if (typeof scalar === 'boolean') return scalar ? TRUE : FALSE;
  return scalar;
}

export function fromSql(value: SQLOutputValue): Scalar {
  if (value instanceof Uint8Array) return value[0] === 1;
  return typeof value === 'bigint' ? Number(value) : value;
}
