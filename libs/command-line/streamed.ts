import { parsedJson } from '#kernel';
import type { Column } from './calls/call.js';
import { CommandFailure, ExitCode } from './command-failure.js';
import { csvLine } from './csv.js';
import { type Output, writeLine } from './output.js';
import { printable } from './printable.js';
import { cellsOf, lineOf, nameOf, titlesOf, valuesOf, widthsOf } from './table.js';

/** A line that is no row: it tells how far the answer is, or that it is whole. */
export interface Mark {
  readonly progress?: object;
  readonly end?: object;
}

/**
 * Writes the lines of an answer as they come: as a table that grows, as CSV, or as they are.
 * @param told gets how far the answer is
 * @returns what its end says
 * @throws CommandFailure if the answer has no end
 */
export async function writeStream(
  lines: AsyncIterable<string>,
  columns: readonly Column[],
  output: Output,
  told: (progress: object) => void,
): Promise<object> {
  let isTitled = output.form === 'json';
  let end: object | undefined;
  for await (const text of lines) {
    const line = parsedJson(text) as object | undefined;
    if (line === undefined) continue;
    if (!isTitled) await writeTitles(columns, output);
    isTitled = true;
    const mark = line as Mark;
    if (mark.end !== undefined) ({ end } = mark);
    else if (mark.progress !== undefined) told(mark.progress);
    if (output.form === 'json') await writeLine(output.out, text);
    else if (mark.end === undefined && mark.progress === undefined) await writeRow(columns, line, output);
  }
  if (end !== undefined) return end;
  throw new CommandFailure('The answer broke off: it is not whole.', ExitCode.unreachable);
}

const writeTitles = (columns: readonly Column[], { out, form }: Output): Promise<void> =>
  form === 'csv'
    ? writeLine(out, csvLine(columns.map(nameOf)))
    : writeLine(out, lineOf(titlesOf(columns), widthsOf(columns)));

const writeRow = (columns: readonly Column[], row: object, { out, form }: Output): Promise<void> =>
  form === 'csv'
    ? writeLine(out, csvLine(Object.values(valuesOf(columns, row))))
    : writeLine(out, printable(lineOf(cellsOf(columns, row), widthsOf(columns))));
