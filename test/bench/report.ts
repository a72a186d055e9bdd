/** One line of the table: medians over the turns. */
export interface Measured {
  readonly row: string;
  readonly connections: number;
  /** Requests per second. */
  readonly holdfast: number;
  readonly bare: number;
  /** The median, the lowest and the highest of the turns' ratios. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  /** Milliseconds per request. */
  readonly p50: number;
  readonly p99: number;
  readonly bareP50: number;
  readonly bareP99: number;
  /** Microseconds of processor time per request, all threads together; null where the system does not report it. */
  readonly cpu: number | null;
  readonly bareCpu: number | null;
  /** Milliseconds to write and fdatasync 4 KiB in the data folder. */
  readonly sync: number;
}

type Align = 'left' | 'right';

const COLUMNS: readonly { readonly head: string; readonly align: Align; of(line: Measured): string }[] = [
  { head: 'row', align: 'left', of: ({ row }) => row },
  { head: 'conn.', align: 'right', of: ({ connections }) => String(connections) },
  { head: 'req/s', align: 'right', of: ({ holdfast }) => holdfast.toFixed(0) },
  { head: 'bare', align: 'right', of: ({ bare }) => bare.toFixed(0) },
  { head: 'ratio', align: 'right', of: ({ ratio }) => ratio.toFixed(2) },
  { head: '(range)', align: 'left', of: ({ lowest, highest }) => `${lowest.toFixed(2)}-${highest.toFixed(2)}` },
  { head: 'p50/p99 ms', align: 'right', of: ({ p50, p99 }) => `${p50.toFixed(1)}/${p99.toFixed(1)}` },
  { head: 'bare', align: 'right', of: ({ bareP50, bareP99 }) => `${bareP50.toFixed(1)}/${bareP99.toFixed(1)}` },
  { head: 'CPU µs/req', align: 'right', of: ({ cpu }) => cpu?.toFixed(0) ?? '-' },
  { head: 'bare', align: 'right', of: ({ bareCpu }) => bareCpu?.toFixed(0) ?? '-' },
  { head: 'sync ms', align: 'right', of: ({ sync }) => sync.toFixed(2) },
];

/** The measurements as a table for people. */
export function table(lines: readonly Measured[]): string {
  const rows = [COLUMNS.map(({ head }) => head), ...lines.map((line) => COLUMNS.map((column) => column.of(line)))];
  const widths = COLUMNS.map((_, index) => Math.max(...rows.map((cells) => cells[index]?.length ?? 0)));
  return rows
    .map((cells) =>
      cells
        .map((cell, index) => {
          const width = widths[index] ?? 0;
          return COLUMNS[index]?.align === 'left' ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
