import { TOMBSTONE } from './commit-check.js';

/** How long a stream's metadata keeps its events. */
export interface Retention {
  readonly $maxCount?: number;
  /** In seconds. */
  readonly $maxAge?: number;
  readonly $tb?: number;
}

/** The retention in base64 metadata; empty if the data is not metadata. */
export function retentionOf(data: string): Retention {
  try {
    return (JSON.parse(Buffer.from(data, 'base64').toString()) ?? {}) as Retention;
  } catch {
    return {};
  }
}

export const isSoftDeleted = ({ $tb = 0 }: Retention): boolean => $tb >= TOMBSTONE;

/** Metadata with another `$tb`; the largest one soft-deletes the stream. */
export function withTruncateBefore(data: string, before: number): string {
  const number = before >= TOMBSTONE ? '9223372036854775807' : String(before);
  const { $tb: _, ...others } = retentionOf(data);
  const text = JSON.stringify({ ...others, $tb: 0 }).replace('"$tb":0', `"$tb":${number}`);
  return Buffer.from(text).toString('base64');
}

/** The index of the first event that is not hidden; hidden events always come first. */
export function firstVisible(
  events: readonly { readonly revision: number; readonly created: number }[],
  { $maxCount, $maxAge, $tb = 0 }: Retention,
  now: number,
): number {
  const last = events.at(-1)?.revision ?? -1;
  const lowest = Math.max($tb, $maxCount === undefined ? 0 : last - $maxCount + 1);
  let first = Math.max(0, lowest - (events[0]?.revision ?? 0));
  if ($maxAge === undefined) return first;
  while (first < events.length && Number(events[first]?.created) < now - $maxAge * 1_000) first += 1;
  return first;
}
