/** One of several parts of all names: threads and passes divide streams and rows by a hash of their names. */
export interface Part {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

/** All names. */
export const WHOLE: Part = { index: 0, of: 1 };

/** How many characters count, from the end: names of the same kind begin alike. */
const COUNTED = 12;

/** Whether a name is in a part. */
export function isIn({ index, of }: Part, name: string): boolean {
  if (of === 1) return true;
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, name.length - COUNTED); at < name.length; at += 1)
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % of === index;
}
