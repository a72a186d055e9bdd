import type { Column, Seen } from './calls/call.js';
import { oneRow, type Output, type Rows, write } from './output.js';
import { fields, flat, nameOf, shownFields, tableOf, valuesOf } from './table.js';

/** Writes an answer in the form that the operator chose. CSV has what the tables have. */
export function show(output: Output, answer: object, seen: Seen): void {
  const { title, fields: given, columns, rows = [], next } = seen;
  const parts = [
    title,
    given === undefined ? undefined : fields(given),
    columns === undefined ? undefined : tableOf(columns, rows),
    next,
  ];
  write(output, answer, parts.filter((part) => part !== undefined).join('\n'), rowsOf(answer, seen));
}

/** What people see of an answer unless its command says otherwise: all of its fields. */
export function seenByDefault(answer: object): Seen {
  const all = flat(answer);
  return Object.keys(all).length === 0 ? { title: 'Done.' } : { fields: all };
}

function rowsOf(answer: object, { fields: given, columns, rows = [] }: Seen): Rows {
  if (given !== undefined && rows.length === 0) return oneRow(shownFields(given));
  return columns === undefined ? oneRow(answer) : columnsOf(columns, rows);
}

const columnsOf = (columns: readonly Column[], rows: readonly object[]): Rows => ({
  names: columns.map(nameOf),
  rows: rows.map((row) => valuesOf(columns, row)),
});
