import { hashOf } from '#kernel/collections';

/** One of several parts of all names: threads and passes divide streams and rows by the hash of their names. */
export interface Part {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

/** All names. */
export const WHOLE: Part = { index: 0, of: 1 };

/** Whether a name is in a part. */
export function isIn({ index, of }: Part, name: string): boolean {
  return of === 1 || hashOf(name).low % of === index;
}
