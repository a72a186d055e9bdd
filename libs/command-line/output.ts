import { once } from 'node:events';
import { csvOf } from './csv.js';
import { printable } from './printable.js';

/** How results are written: tables for people, JSON for programs, CSV for spreadsheets. */
export type Form = 'people' | 'json' | 'csv';

/** The streams of a command: results go to `out`, progress and failures to `err`. */
export interface Output {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly form: Form;
}

/** Rows with values of these names. */
export interface Rows {
  readonly names: readonly string[];
  readonly rows: readonly object[];
}

/** Writes a result: the object as JSON for programs, the text for people, and rows as CSV; by default one row with the object. */
export function write({ out, form }: Output, result: object, text: string, rows: Rows = oneRow(result)): void {
  if (form === 'json') out.write(`${JSON.stringify(result)}\n`);
  else if (form === 'people') out.write(`${printable(text)}\n`);
  else out.write(csvOf(rows.names, rows.rows));
}

/** An object as the only row. */
export const oneRow = (of: object): Rows => ({ names: Object.keys(of), rows: [of] });

/** Writes one of many lines, when the reader has taken the earlier ones. */
export async function writeLine(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(`${text}\n`)) await once(stream, 'drain');
}

/** Writes how far a command is, if somebody watches. */
export function tell({ err, form }: Output, text: string): void {
  if (err.isTTY === true && form !== 'json') err.write(printable(`${text}\n`));
}
