import { z } from 'zod';

/** The most series that one answer has. */
export const MOST_SERIES = 100;

/** A deal that sells now, as one process, or all of them together, see it. */
export const HOT_DEAL = z
  .strictObject({
    slug: z.string(),
    units_left: z.int().nullable().describe('null for unlimited.'),
    sold_per_second: z.number().describe('Averaged over about ten seconds.'),
  })
  .meta({ id: 'HotDeal', description: 'A deal that sells now.' });
export type HotDealThen = z.output<typeof HOT_DEAL>;

/** A process that has written metrics in the last day. */
export const METRICS_PROCESS = z
  .strictObject({
    id: z.string(),
    role: z.string().describe('`all`, `api` or `worker`.'),
    started_at: z.string(),
    last_seen: z.string(),
    live: z.boolean().describe('Whether it was seen in the last 30 seconds.'),
  })
  .meta({ id: 'MetricsProcess', description: 'A process that has written metrics in the last day.' });
export type MetricsProcess = z.output<typeof METRICS_PROCESS>;

const VALUES = z.array(z.number().nullable()).describe('One for each step; null where nobody knows it.');

export const METRICS_SERIES = z
  .strictObject({
    unit: z.string(),
    sum: VALUES.describe(
      'All processes together: rates are added, quantiles are those of all calls, and of what all processes see it is the largest value.',
    ),
    by_process: z.record(z.string(), VALUES).describe('The values of each process, by its id.'),
  })
  .meta({ id: 'MetricsSeries', description: 'A series of values.' });
export type MetricsSeries = z.output<typeof METRICS_SERIES>;

/** The last hour by the second, or the last day by the minute (ruling G11.5). */
export const METRICS_ANSWER = z
  .strictObject({
    status: z.literal('success'),
    span: z.enum(['hour', 'day']),
    step: z.int().describe('Seconds between two values.'),
    from: z.string().describe('The beginning of the first value’s second or minute.'),
    to: z.string().describe('The beginning of the last one’s.'),
    processes: z.array(METRICS_PROCESS),
    series: z.record(z.string(), METRICS_SERIES),
    hottest_deals: z.array(HOT_DEAL).describe('At most 20, the hottest first, at present.'),
  })
  .meta({ id: 'MetricsHistory', description: 'What the processes of the service have measured.' });
export type HistoryAnswer = z.output<typeof METRICS_ANSWER>;

/** What all processes together measured in the last second. */
export interface NewestMetrics {
  /** The second, as ISO 8601. */
  readonly at: string;
  /** By the name of the series; null where nobody knows it. Refusals by code have the names `refusals_per_second.<code>`. */
  readonly values: Readonly<Record<string, number | null>>;
  readonly hottest_deals: readonly HotDealThen[];
  /** How many processes are in it. Those of others are at most ten seconds older. */
  readonly processes: number;
}
