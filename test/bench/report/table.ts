import { formatted } from '../../support/formatted.js';
import { median } from '../measure/median.js';
import type { Line, Run, Side } from '../result.js';
import { specOf, type RowId, type RowSpec } from '../rows.table.js';

/** The same line of several runs. */
interface Row {
  readonly spec: RowSpec;
  readonly lines: readonly Line[];
}

const KIND: Readonly<Record<RowSpec['unit'], (figure: number) => string>> = {
  ratio: (figure) => figure.toFixed(2),
  times: (figure) => figure.toFixed(2),
  s: (figure) => `${figure.toFixed(2)} s`,
  MB: (figure) => `${figure.toFixed(0)} MB`,
  'per second': (figure) => `${figure.toFixed(0)}/s`,
};

interface Column {
  readonly head: string;
  readonly left?: true;
  of(row: Row): string;
}

const NAME: Column = {
  head: 'row',
  left: true,
  of: ({ spec, lines }) => [spec.title, ...some(lines[0]?.of)].join(': '),
};

/** What counts. */
const FIGURES: readonly Column[] = [
  NAME,
  { head: 'figure', of: (row) => (failuresOf(row).length > 0 ? 'failed' : inUnit(row, overall(row))) },
  { head: 'range', of: (row) => rangeOf(row) },
  { head: 'limit', of: (row) => inUnit(row, row.spec.limit) },
  { head: 'goal', of: (row) => inUnit(row, row.spec.goal) },
  { head: 'met', left: true, of: (row) => verdictOf(row) },
  { head: 'against', left: true, of: ({ spec }) => spec.against ?? '' },
];

/** What it comes from. */
const DETAILS: readonly Column[] = [
  NAME,
  { head: 'rate', of: ({ lines }) => bySide(lines, ({ rate }) => rate, 0) },
  { head: 'p50 ms', of: ({ lines }) => bySide(lines, ({ p50 }) => p50, 1) },
  { head: 'p99 ms', of: ({ lines }) => bySide(lines, ({ p99 }) => p99, 1) },
  { head: 'CPU µs', of: ({ lines }) => bySide(lines, ({ cpu }) => cpu, 0) },
  { head: 'by thread', left: true, of: ({ lines }) => threadsOf(lines) },
  { head: 'load µs', of: ({ lines }) => bySide(lines, ({ load }) => load, 0) },
  { head: 'sync ms', of: ({ lines }) => median(lines.map(({ sync }) => sync)).toFixed(2) },
  { head: 'also', left: true, of: alsoOf },
];

/** What BENCHMARKS.md shows of a row. */
const ON_PAGE: readonly Column[] = [
  ...FIGURES,
  ...DETAILS.filter(({ head }) => ['rate', 'p99 ms', 'CPU µs'].includes(head)),
];

/** The rows that BENCHMARKS.md shows as one table in Markdown, and the names of all that miss their limit. */
export async function pageTableOf(runs: readonly Run[]): Promise<string> {
  const rows = rowsOf(runs);
  const limited = rows.filter(({ spec }) => spec.limit !== undefined);
  const missed = limited.filter((row) => verdictOf(row) === 'no').map(nameOf);
  const shown = rows.filter(({ spec }) => spec.onPage === true);
  const words =
    missed.length === 0
      ? `All ${limited.length} lines with a limit meet it.`
      : `${missed.length} of ${limited.length} lines with a limit miss it: ${missed.join(', ')}.`;
  return (await formatted('BENCHMARKS.md', [tableOf(ON_PAGE, shown), words].join('\n\n'))).trimEnd();
}

/** A row's id, and what of it was measured. */
function nameOf({ lines: [line] }: Row): string {
  return [`\`${line?.row}\``, ...some(line?.of).map((of) => `(${of})`)].join(' ');
}

/** The lines of one run or several as two tables in Markdown, figures and details: medians over the runs. */
export async function tablesOf(runs: readonly Run[]): Promise<string> {
  const rows = rowsOf(runs);
  const markdown = [tableOf(FIGURES, rows), tableOf(DETAILS, rows)].join('\n\n');
  return (await formatted('BENCHMARKS.md', markdown)).trimEnd();
}

function tableOf(columns: readonly Column[], rows: readonly Row[]): string {
  const heads = columns.map(({ head }) => head);
  const rules = columns.map(({ left }) => (left === true ? '---' : '--:'));
  const cells = rows.map((row) => columns.map((column) => column.of(row)));
  return [heads, rules, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function rowsOf(runs: readonly Run[]): readonly Row[] {
  const rows = new Map<string, Row & { readonly lines: Line[] }>();
  for (const { lines, cluster } of runs) {
    for (const each of lines) {
      const line = cluster === undefined ? each : { ...each, of: ofCluster(each.of, cluster.apis) };
      const name = `${line.row} ${line.of ?? ''}`;
      const row = rows.get(name) ?? { spec: cluster === undefined ? specOf(line.row) : inCluster(line.row), lines: [] };
      row.lines.push(line);
      rows.set(name, row);
    }
  }
  return [...rows.values()];
}

function ofCluster(of: string | undefined, apis: number): string {
  return [...some(of), `${apis} API${apis === 1 ? '' : 's'}`].join(', ');
}

/** The limits of rows that one process has too are those of one process, and so is their place on the page. */
function inCluster(row: RowId): RowSpec {
  const spec = specOf(row);
  if (spec.cluster === 'only') return spec;
  const { limit: _, goal: __, onPage: ___, ...shown } = spec;
  return shown;
}

const some = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

function overall({ lines }: Row): number {
  return median(lines.map(({ figure }) => figure?.median ?? NaN));
}

function inUnit({ spec }: Row, figure: number | undefined): string {
  return figure === undefined ? '' : KIND[spec.unit](figure);
}

/** A row counts as failed if it has failed in any run. */
function failuresOf({ lines }: Row): readonly string[] {
  return lines.flatMap(({ failed }) => (failed === undefined ? [] : [failed]));
}

/** Over all turns of all runs. */
function rangeOf(row: Row): string {
  const lowest = Math.min(...row.lines.map(({ figure }) => figure?.lowest ?? NaN));
  const highest = Math.max(...row.lines.map(({ figure }) => figure?.highest ?? NaN));
  return lowest === highest || failuresOf(row).length > 0 ? '' : `${inUnit(row, lowest)} to ${inUnit(row, highest)}`;
}

function verdictOf(row: Row): string {
  const { better, limit, goal } = row.spec;
  if (failuresOf(row).length > 0) return 'no';
  if (limit === undefined) return '';
  const meets = (bound: number): boolean => (better === 'higher' ? overall(row) >= bound : overall(row) <= bound);
  if (goal !== undefined && meets(goal)) return 'goal';
  return meets(limit) ? 'limit' : 'no';
}

/** A figure of each side, Holdfast's first: the median over the runs. */
function bySide(lines: readonly Line[], of: (side: Side) => number | null, digits: number): string {
  const sides = lines[0]?.sides ?? [];
  return sides.map((_, index) => overRuns(lines, index, of)?.toFixed(digits) ?? '–').join(' / ');
}

/** The median over the runs of a figure of the side with this index; undefined if a run does not have it. */
function overRuns(
  lines: readonly Line[],
  index: number,
  of: (side: Side) => number | null | undefined,
): number | undefined {
  const figure = median(
    lines.map(({ sides }) => {
      const side = sides?.[index];
      return (side && of(side)) ?? NaN;
    }),
  );
  return Number.isNaN(figure) ? undefined : figure;
}

/** What threads or servers of Holdfast use, with their names, the most first: medians over the runs. */
function usesOf(
  lines: readonly Line[],
  of: (side: Side) => Readonly<Record<string, number>> | undefined,
): readonly (readonly [string, number])[] {
  const names = new Set(lines.flatMap(({ sides: [side] = [] }) => Object.keys((side && of(side)) ?? {})));
  return [...names]
    .map((name) => [name, overRuns(lines, 0, (side) => of(side)?.[name] ?? 0) ?? 0] as const)
    .toSorted(([, one], [, other]) => other - one);
}

function threadsOf(lines: readonly Line[]): string {
  return usesOf(lines, ({ threads }) => threads)
    .map(([name, time]) => `${name} ${time.toFixed(0)}`)
    .join(', ');
}

function alsoOf(row: Row): string {
  const { lines } = row;
  const names = Object.keys(lines[0]?.shown ?? {});
  const background = overRuns(lines, 0, (side) => side.background);
  const uses = [
    ...usesOf(lines, (side) => side.uses).map(([name, time]) => `CPU µs of ${name}: ${time.toFixed(0)}`),
    ...some(background).map((time) => `CPU ms per second without requests: ${(time / 1_000).toFixed(0)}`),
  ];
  const shown = names.map((name) => `${name}: ${shortened(median(lines.map((line) => line.shown?.[name] ?? NaN)))}`);
  const reasons = failuresOf(row).map((failed) => failed.split(/\s*[\r\n|]/)[0] ?? '');
  return [...shown, ...uses, ...reasons].join('; ');
}

function shortened(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure.toPrecision(3);
}
