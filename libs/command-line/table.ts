import type { Column } from './calls/call.js';

/** Characters of a column in a table that grows, unless the column says otherwise. */
const WIDTH = 24;

/** A table with a line for each field that has one. Fields without a value show a dash; those with parts are left out. */
export function fields(of: object): string {
  const rows = Object.entries(shownFields(of)).map(([name, value]) => [name.replaceAll('_', ' '), shown(value)]);
  return table(['FIELD', 'VALUE'], rows);
}

/** The fields that people see: those with one value, and lists of such. */
export function shownFields(of: object): Readonly<Record<string, unknown>> {
  const shown = Object.entries(of).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return [];
    if (!isParted(value)) return [[name, value]];
    return Array.isArray(value) && !value.some(isParted) ? [[name, value.join(', ')]] : [];
  });
  return Object.fromEntries(shown);
}

/** All fields of an answer, and those of its parts, by the names of both. */
export function flat(answer: object): Readonly<Record<string, unknown>> {
  const all = Object.entries(answer).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'status') return [];
    if (!isParted(value) || Array.isArray(value)) return [[name, value]];
    return Object.entries(value).map(([part, inner]) => [`${name}_${part}`, inner]);
  });
  return Object.fromEntries(all);
}

/** A table with titles. Each column is as wide as its longest cell. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => lineOf(line, widths)).join('\n');
}

/** A line of a table with these widths. A longer cell moves the rest of its line. */
export const lineOf = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();

/** A table of rows. */
export const tableOf = (columns: readonly Column[], rows: readonly object[]): string =>
  table(
    titlesOf(columns),
    rows.map((row) => cellsOf(columns, row)),
  );

/** The titles of columns. */
export const titlesOf = (columns: readonly Column[]): readonly string[] =>
  columns.map((column) => (nameOf(column).split('.').at(-1) ?? '').replaceAll('_', ' ').toUpperCase());

/** The widths of columns in a table that grows. */
export const widthsOf = (columns: readonly Column[]): readonly number[] =>
  columns.map((column) => (typeof column === 'string' ? WIDTH : (column.width ?? WIDTH)));

/** The cells of a row as people see them. */
export const cellsOf = (columns: readonly Column[], row: object): readonly string[] =>
  columns.map((column) => shown(valueOf(column, row)));

/** The cells of a row by the names of their columns, for CSV. */
export const valuesOf = (columns: readonly Column[], row: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map((column) => [nameOf(column), valueOf(column, row)]));

/** The name of a column: its attribute. */
export const nameOf = (column: Column): string => (typeof column === 'string' ? column : column.name);

function valueOf(column: Column, row: object): unknown {
  if (typeof column !== 'string' && column.cell !== undefined) return column.cell(row);
  return nameOf(column)
    .split('.')
    .reduce<unknown>((part, name) => (isParted(part) ? (part as Readonly<Record<string, unknown>>)[name] : null), row);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value) && !value.some(isParted)) return value.join(', ');
  return typeof value === 'string' ? value.replaceAll('\n', ' ') : JSON.stringify(value);
}

const isParted = (value: unknown): value is object => typeof value === 'object' && value !== null;
