export { Exposition, METRICS_TYPE, type Shown, type Sources, type Value } from './exposition.js';
export * from './history/contract.js';
export { type HistoryParts, type HistoryQuery, type Measured, MetricsHistory } from './history/metrics-history.js';
export type { Sample } from './history/sample.js';
export {
  GAUGES,
  type Gauge,
  RATES,
  type Rate,
  REFUSALS_OF,
  SERIES,
  SERIES_NAMES,
  type SeriesName,
  TIMED,
} from './history/series.js';
export { METRICS_ENTRIES, type Span, SPANS, StoredMetrics } from './history/stored.js';
