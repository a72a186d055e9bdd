/** Where the values of a series come from, and how those of several processes are put together. */
type Kind =
  /** What this process does per second. The sum is that of all. */
  | { readonly of: 'rate'; readonly rate: Rate }
  /** What all processes see alike, such as the open holds. The sum is the largest of them. */
  | { readonly of: 'shared'; readonly gauge: Gauge }
  /** How long something took. The sum is the quantile of all together. */
  | { readonly of: 'duration'; readonly durations: Timed; readonly part: number };

/** Counts of a process that only rise. */
export const RATES = ['sales', 'requests', 'refusals', 'commands', 'appends', 'gateway'] as const;
export type Rate = (typeof RATES)[number];

export const GAUGES = ['holds', 'oversold', 'lagEvents', 'lagSeconds', 'loopDelay'] as const;
export type Gauge = (typeof GAUGES)[number];

export const TIMED = ['requests', 'gateway'] as const;
export type Timed = (typeof TIMED)[number];

/** The series that each process keeps. There is one more, `refusals_per_second.<code>`, for each code of refusals that occurred. */
export const SERIES = {
  sales_per_second: { unit: 'units/s', of: 'rate', rate: 'sales' },
  holds_open: { unit: 'holds', of: 'shared', gauge: 'holds' },
  units_oversold: { unit: 'units', of: 'shared', gauge: 'oversold' },
  requests_per_second: { unit: 'requests/s', of: 'rate', rate: 'requests' },
  refusals_per_second: { unit: 'requests/s', of: 'rate', rate: 'refusals' },
  request_p50: { unit: 'ms', of: 'duration', durations: 'requests', part: 0.5 },
  request_p99: { unit: 'ms', of: 'duration', durations: 'requests', part: 0.99 },
  commands_per_second: { unit: 'commands/s', of: 'rate', rate: 'commands' },
  appends_per_second: { unit: 'appends/s', of: 'rate', rate: 'appends' },
  views_lag_events: { unit: 'events', of: 'shared', gauge: 'lagEvents' },
  views_lag_seconds: { unit: 's', of: 'shared', gauge: 'lagSeconds' },
  gateway_calls_per_second: { unit: 'calls/s', of: 'rate', rate: 'gateway' },
  gateway_p50: { unit: 'ms', of: 'duration', durations: 'gateway', part: 0.5 },
  gateway_p99: { unit: 'ms', of: 'duration', durations: 'gateway', part: 0.99 },
  event_loop_delay: { unit: 'ms', of: 'shared', gauge: 'loopDelay' },
} as const satisfies Readonly<Record<string, { readonly unit: string } & Kind>>;

export type SeriesName = keyof typeof SERIES;
export const SERIES_NAMES = Object.keys(SERIES) as readonly SeriesName[];

/** The name of the series of one code of refusals begins so. */
export const REFUSALS_OF = 'refusals_per_second.';
/** The unit of these. */
export const REFUSALS_UNIT = SERIES.refusals_per_second.unit;
