import type { PageEnd } from '#eventsourcing';
import { parsedJson } from '#kernel';

export const INVALID_PLACE = 'must be `next` of a page of this list';

/** The end of a page as callers send it back. */
export function nameOf({ value, key }: PageEnd): string {
  return Buffer.from(JSON.stringify([value, key])).toString('base64url');
}

/** The end of a page that a caller has sent; undefined if the text is none of a list that this sorts. */
export function placeOf(name: string, by: 'time' | 'text'): PageEnd | undefined {
  const parts = parsedJson(Buffer.from(name, 'base64url').toString());
  if (!Array.isArray(parts) || parts.length !== 2) return undefined;
  const [value, key] = parts as readonly unknown[];
  if (typeof key !== 'string') return undefined;
  if (by === 'time')
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? { value, key } : undefined;
  return typeof value === 'string' ? { value, key } : undefined;
}
