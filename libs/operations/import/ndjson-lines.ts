import { isUtf8 } from 'node:buffer';
import { LONGEST_LINE } from '#kernel/bounds';

/** A line of NDJSON with its number, from 1, and its text; or why it cannot be read. */
export type NdjsonLine = { readonly number: number } & (
  | { readonly text: string; readonly fault?: undefined }
  | { readonly text?: undefined; readonly fault: string }
);

const NEWLINE = 0x0a;

/**
 * The lines of a body as they arrive. It holds only one line at a time. Empty lines count, but are left out. A line that is too
 * long is skipped to its end.
 * @param taken receives the number of bytes of each part of a line and of its end
 */
export async function* ndjsonLines(
  body: AsyncIterable<Buffer>,
  taken: (bytes: number) => void,
): AsyncGenerator<NdjsonLine> {
  let number = 0;
  let parts: Buffer[] = [];
  let size = 0;
  const line = (): NdjsonLine | undefined => {
    number += 1;
    const bytes = size > LONGEST_LINE ? undefined : Buffer.concat(parts);
    parts = [];
    size = 0;
    if (bytes === undefined) return { number, fault: 'is longer than 1 MiB' };
    if (!isUtf8(bytes)) return { number, fault: 'is not UTF-8' };
    const text = bytes.toString().trim();
    return text === '' ? undefined : { number, text };
  };
  const take = (part: Buffer): void => {
    size += part.length;
    taken(part.length);
    if (size <= LONGEST_LINE) parts.push(part);
  };
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end));
      from = end + 1;
      taken(1);
      const whole = line();
      if (whole !== undefined) yield whole;
    }
    take(chunk.subarray(from));
  }
  const last = size > 0 ? line() : undefined;
  if (last !== undefined) yield last;
}
