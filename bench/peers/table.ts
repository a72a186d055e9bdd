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

/** What BENCHMARKS.md shows of a run, in Markdown: a line per row and a column per peer. */
export function summaryOf(run: Run): string {
  const columns: readonly Column<(typeof run.rows)[number]>[] = [
    ['row', ({ row }) => `${ROWS[row].title}, ${connectionsOf(ROWS[row].connections)}`],
    ...run.sales.map(({ peer, title }): Column<(typeof run.rows)[number]> => [
      title,
      ({ results }) => cellOf(results.find((result) => result.peer === peer)),
    ]),
  ];
  const sale = ['sold of limited units', ...run.sales.map(({ accepted, stock }) => soldOf(accepted, stock))];
  return [madeOf(run), tableOf(columns, run.rows, [sale]), ...troublesOf(run)].join('\n\n');
}

/** Requests per second, and how many times as fast Holdfast is. */
function cellOf(result: Result | undefined): string {
  if (result === undefined) return '–';
  const { rate, ahead } = result;
  return ahead === undefined ? shown(rate.median) : `${shown(rate.median)} (${times(ahead.median)})`;
}

function soldOf(accepted: number, stock: number): string {
  const sold = `${accepted} of ${stock}`;
  return accepted > stock ? `**${sold}**` : sold;
}

/** A run in Markdown. */
export function reportOf(run: Run): string {
  const results = run.rows.flatMap(({ row, results: all }) => all.map((result) => ({ row, ...result })));
  return [madeOf(run), tableOf(RESULTS, results), tableOf(SALES, run.sales), ...troublesOf(run)].join('\n\n');
}

/** Says how a run was made. */
function madeOf({ at, machine, versions, options, sync }: Run): string {
  const { turns, seconds, items } = options;
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return (
    `Made by one run (${at.slice(0, 10)}) with ${machine.cores} cores (${machine.processors}), ${machine.system}, ` +
    `Node ${machine.node}, ${programs.join(', ')}; ${turns} turns of ${seconds} s, ${items} items; ` +
    `to write and sync 4 KiB took ${sync.toFixed(2)} ms.`
  );
}

/** Peers whose books contradict their answers, and peers that did not run. */
function troublesOf({ rows, missing }: Run): readonly string[] {
  const wrong = rows.flatMap(({ row, results }) =>
    results.flatMap(({ title, wrong }) => (wrong === undefined ? [] : [`${title} is wrong in ${row}: ${wrong}.`])),
  );
  return [...wrong, ...Object.entries(missing).map(([name, why]) => `${name} did not run: ${why}`)];
}

function tableOf<T>(
  columns: readonly Column<T>[],
  lines: readonly T[],
  more: readonly (readonly string[])[] = [],
): string {
  const rules = columns.map(([head]) => (/row|peer|oversold/.test(head) ? '---' : '--:'));
  const cells = lines.map((line) => columns.map(([, of]) => of(line)));
  return [columns.map(([head]) => head), rules, ...cells, ...more].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const connectionsOf = (count: number): string => (count === 1 ? '1 connection' : `${count} connections`);
const shown = (figure: number): string => figure.toFixed(figure < 10 ? 1 : 0);
const times = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 0)}×`;

function rangeOf({ lowest, highest }: Spread, of: (figure: number) => string): string {
  return lowest === highest ? '' : `${of(lowest)} to ${of(highest)}`;
}
