import { readSync, statSync } from 'node:fs';
import { withFile } from '#files';
import { FILES } from '#kernel/bounds';

/** Whole lines of a file that only grows, after a byte of it, and where they end. A missing file has none. */
export function linesAfter(file: string, after: number): { readonly lines: readonly string[]; readonly end: number } {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= after) return { lines: [], end: after };
  const part = withFile(file, (descriptor) => {
    const bytes = Buffer.alloc(Math.min(size - after, FILES.ledger));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, after));
  });
  const end = part.lastIndexOf('\n') + 1;
  return { lines: part.subarray(0, end).toString().split('\n').slice(0, -1), end: after + end };
}
