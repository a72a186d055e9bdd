import { choice, several, text } from './values.js';
import type { Call, Seen } from './call.js';

/** A series as the answer has it. */
interface Series {
  readonly unit: string;
  readonly sum: readonly (number | null)[];
}

/** What the processes of the service have measured (ruling G11.5). */
export const METRICS: readonly Call[] = [
  {
    noun: 'metrics',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/metrics',
    words: 'shows what was measured in the last hour or day: newest, mean and largest values (with --json: all values)',
    example: 'metrics show --span day --series sales_per_second,request_p99',
    options: {
      span: choice('hour or day (hour)', 'hour', 'day'),
      series: several(text('the name of a series; all without it')),
      process: text('the id of the only process to look at'),
    },
    show: (answer: { readonly series?: Readonly<Record<string, Series>> }): Seen => ({
      columns: [{ name: 'series', width: 40 }, 'newest', 'mean', 'largest', 'unit'],
      rows: Object.entries(answer.series ?? {}).map(([series, { unit, sum }]) => ({ series, ...inShort(sum), unit })),
    }),
  },
];

function inShort(sum: readonly (number | null)[]): object {
  const known = sum.filter((value) => value !== null);
  if (known.length === 0) return { newest: null, mean: null, largest: null };
  const mean = known.reduce((total, each) => total + each, 0) / known.length;
  return { newest: known.at(-1), mean: Math.round(mean * 1_000) / 1_000, largest: Math.max(...known) };
}
