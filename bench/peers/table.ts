import type { Spread } from '../../test/bench/measure/median.js';
import { ROWS, type Result, type Run, type Sale } from './run.ts';

type Column<T> = readonly [head: string, of: (line: T) => string];

const RESULTS: readonly Column<Result & { readonly row: keyof typeof ROWS }>[] = [
  ['row', ({ row }) => `${ROWS[row].title}, ${connectionsOf(ROWS[row].connections)}`],
  // Those by hand read alike.
  ['peer', ({ row, title }) => (ROWS[row].asks === 'reserve' ? title : (title.split(',')[0] ?? title))],
  ['rate', ({ rate }) => shown(rate.median)],
  ['range', ({ rate }) => rangeOf(rate, shown)],
  ['p50 ms', ({ side }) => side.p50.toFixed(2)],
  ['p99 ms', ({ side }) => side.p99.toFixed(1)],
  ['CPU µs', ({ side }) => (side.cpu === null ? '–' : shown(side.cpu))],
  ['Holdfast is faster by', ({ ahead }) => (ahead === undefined ? '' : times(ahead.median))],
  ['range of that', ({ ahead }) => (ahead === undefined ? '' : rangeOf(ahead, times))],
];

const SALES: readonly Column<Sale>[] = [
  ['peer', ({ title }) => title],
  ['units', ({ stock }) => String(stock)],
  ['asked', ({ asked }) => String(asked)],
  ['accepted', ({ accepted }) => String(accepted)],
  ['in its books', ({ taken }) => String(taken)],
  ['oversold', ({ stock, accepted }) => (accepted > stock ? `**yes, by ${accepted - stock}**` : 'no')],
];

/** A run in Markdown. */
export function reportOf(run: Run): string {
  const { at, machine, versions, options, sync } = run;
  const { turns, seconds, items } = options;
  const made =
    `Made by one run (${at.slice(0, 10)}) with ${machine.cores} cores (${machine.processors}), ${machine.system}, ` +
    `Node ${machine.node}, ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(
        ', ',
      )}; ${turns} turns of ${seconds} s, ${items} items; to write and sync 4 KiB took ${sync.toFixed(2)} ms.`;
  const results = run.rows.flatMap(({ row, results: all }) => all.map((result) => ({ row, ...result })));
  const missing = Object.entries(run.missing).map(([name, why]) => `${name} did not run: ${why}`);
  const wrong = results.flatMap(({ row, title, wrong }) =>
    wrong === undefined ? [] : [`${title} is wrong in ${row}: ${wrong}.`],
  );
  return [made, tableOf(RESULTS, results), tableOf(SALES, run.sales), ...wrong, ...missing].join('\n\n');
}

function tableOf<T>(columns: readonly Column<T>[], lines: readonly T[]): string {
  const rules = columns.map(([head]) => (/row|peer|oversold/.test(head) ? '---' : '--:'));
  const cells = lines.map((line) => columns.map(([, of]) => of(line)));
  return [columns.map(([head]) => head), rules, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const connectionsOf = (count: number): string => (count === 1 ? '1 connection' : `${count} connections`);
const shown = (figure: number): string => figure.toFixed(figure < 10 ? 1 : 0);
const times = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 0)}×`;

function rangeOf({ lowest, highest }: Spread, of: (figure: number) => string): string {
  return lowest === highest ? '' : `${of(lowest)} to ${of(highest)}`;
}
