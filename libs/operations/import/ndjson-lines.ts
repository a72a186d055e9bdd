import { LONGEST_LINE } from '#http';

/** A line of NDJSON with its number, from 1; `text` is undefined where it is longer than may be. */
export interface NdjsonLine {
  readonly number: number;
  readonly text: string | undefined;
}

const NEWLINE = 0x0a;

/**
 * The lines of a body as they come, without ever holding more than one of them. Empty ones are numbered and left out; one
 * that is too long is passed over to its end.
 * @param taken is told how many bytes each line and its end had, whatever becomes of it
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
    const text = size > LONGEST_LINE ? undefined : Buffer.concat(parts).toString('utf8').trim();
    parts = [];
    size = 0;
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
