import { stringify } from 'csv-stringify/sync';
import { printable } from './printable.js';

/** A header line with the names, and a line for each row with its values of these names; a value with parts is JSON. */
export function csvOf(names: readonly string[], rows: readonly object[]): string {
  const cells = rows.map((row) => names.map((name) => (row as Readonly<Record<string, unknown>>)[name]));
  return `${[names, ...cells].map(csvLine).join('\n')}\n`;
}

/** A line of CSV, without its end. A spreadsheet calculates none of its cells: a text that begins like a formula gets a quote before it. */
export const csvLine = (cells: readonly unknown[]): string =>
  stringify([cells.map(cellOf)], { escape_formulas: true, eof: false });

function cellOf(value: unknown): string | number {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined) return '';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
