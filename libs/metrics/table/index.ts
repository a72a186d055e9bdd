// `#metrics/table`: every metric, with its panel, and the alerts. docs/metrics.md, the dashboard and the rules are made from it.
import { LOG_METRICS } from './log.metrics.js';
import type { Metric } from './metric.js';
import { PROCESS_METRICS } from './process.metrics.js';
import { SALES_METRICS } from './sales.metrics.js';
import { WORK_METRICS } from './work.metrics.js';

export * from './metric.js';

const TABLE = { ...SALES_METRICS, ...LOG_METRICS, ...WORK_METRICS, ...PROCESS_METRICS };

export type MetricName = keyof typeof TABLE;
export const METRICS: Readonly<Record<MetricName, Metric>> = TABLE;
export const METRIC_NAMES = Object.keys(TABLE) as readonly MetricName[];
