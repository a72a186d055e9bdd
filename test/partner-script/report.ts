import { type Finding } from './checks.js';

/** What differs in a step. */
export interface Difference extends Finding {
  readonly number: number;
  readonly section: string;
  readonly does: string;
}

export interface Result {
  /** How many calls were sent. */
  readonly calls: number;
  readonly differences: readonly Difference[];
  /** The steps for which the world had nothing. */
  readonly leftOut: readonly string[];
}

const HEAD = ['step', 'section', 'what the partner does', 'at', 'kind', 'expected', 'received'] as const;

/** The table of differences, and the numbers. */
export function printed({ calls, differences, leftOut }: Result): string {
  const rows = differences.map(({ number, section, does, at, kind, expected, received }) => [
    String(number),
    section,
    does,
    at,
    kind,
    expected,
    received,
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const table =
    rows.length === 0 ? [] : [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
  const left = leftOut.map((step) => `left out, because the world has nothing for it: ${step}`);
  const steps = new Set(differences.map(({ number }) => number)).size;
  return `${[...table, ...left, `${calls} calls; ${differences.length} differences in ${steps} steps`].join('\n')}\n`;
}
