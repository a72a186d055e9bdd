import { z } from 'zod';
import { readWithin } from '#files';
import { parsedJson } from '#kernel';
import { FILES } from '#kernel/bounds';

/** The format of the file that this build reads and writes. */
const FORMAT = 1;

const HEAD = z.strictObject({
  holdfast: z.literal('erasures'),
  format: z.literal(FORMAT),
  installation: z.string().min(1).max(100),
});

const LINE = z.strictObject({
  number: z.int().min(1),
  person: z.string().min(1).max(200),
  at: z.iso.datetime(),
  position: z.string().regex(/^\d{1,20}$/),
});

/** An erasure of a person: the nth of the installation. */
export type Erasure = z.output<typeof LINE>;

/** The erasures of an installation, the oldest first: the nth has the number n. */
export interface Erasures {
  readonly installation: string;
  readonly lines: readonly Erasure[];
}

/**
 * The text of a file of erasures. An unfinished last line is left out: its writer was killed before the erasure counted.
 * @param file names the text in errors
 * @throws Error for operators, which names the file, the line and what is wrong
 */
export function parseErasures(file: string, text: string): Erasures {
  const texts = text.split('\n').slice(0, -1);
  const head = HEAD.safeParse(parsedJson(texts[0] ?? ''));
  if (!head.success)
    throw new Error(`${file} is no file of erasures of this format (${FORMAT}): its first line is not the head`);
  const lines = texts.slice(1).map((line, index) => {
    const parsed = LINE.safeParse(parsedJson(line));
    if (!parsed.success || parsed.data.number !== index + 1) {
      throw new Error(`${file} is damaged: line ${index + 2} must be the erasure number ${index + 1}`);
    }
    return parsed.data;
  });
  return { installation: head.data.installation, lines };
}

/**
 * Reads a file of erasures.
 * @returns undefined if there is no such file
 * @throws Error for operators if it is damaged, too large, or cannot be read
 */
export function readErasures(file: string): Erasures | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = readWithin(file, FILES.erasures);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (bytes === undefined)
    throw new Error(`${file} is larger than ${FILES.erasures} bytes, so it is no file of erasures`);
  return parseErasures(file, bytes.toString());
}

/** The text of a file of erasures; each line ends with a line feed. */
export function erasuresText({ installation, lines }: Erasures): string {
  const head: z.output<typeof HEAD> = { holdfast: 'erasures', format: FORMAT, installation };
  return [head, ...lines].map(lineText).join('');
}

/** A line of the file, with its line feed. */
export function lineText(line: Erasure | z.output<typeof HEAD>): string {
  return `${JSON.stringify(line)}\n`;
}

/**
 * The first erasure of an older copy that a newer one lacks or has otherwise; undefined if the newer one goes on from the
 * older one.
 */
export function firstLacking(newer: Erasures, older: Erasures): Erasure | undefined {
  return older.lines.find((line, index) => JSON.stringify(newer.lines[index]) !== JSON.stringify(line));
}
