import type { Metric } from './metric.js';

/** Requests and sales. */
export const SALES_METRICS = {
  holdfast_requests_total: {
    type: 'counter',
    help: 'Requests by the template of their route and the status of their answer. Status 0: the caller left before an answer.',
    labels: {
      method: 'GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH or other',
      route: 'a template such as /deals/:deal_id; none if no route matched',
      status: 'of HTTP',
    },
    series: 1_000,
    queries: [
      {
        panel: 'requests',
        query: 'topk(15, sum by (route) (rate(holdfast_requests_total[$__rate_interval])))',
        legend: '{{route}}',
      },
      {
        panel: 'statuses',
        query: 'sum by (status) (rate(holdfast_requests_total[$__rate_interval]))',
        legend: '{{status}}',
      },
    ],
    alerts: [
      {
        name: 'HoldfastServerErrors',
        expr: 'sum(rate(holdfast_requests_total{status=~"5.."}[5m])) / sum(rate(holdfast_requests_total[5m])) > 0.02',
        for: '5m',
        severity: 'page',
        says: 'More than one in fifty requests gets a 5xx.',
        does: 'Run `holdfast doctor`; a 503 says in its log line why, a 500 is a fault of the software.',
        fires: {
          'holdfast_requests_total{status="503"}': '0+60x15',
          'holdfast_requests_total{status="200"}': '0+600x15',
        },
        rests: {
          'holdfast_requests_total{status="503"}': '0+6x15',
          'holdfast_requests_total{status="200"}': '0+600x15',
        },
        after: '12m',
      },
    ],
  },
  holdfast_request_duration_seconds: {
    type: 'histogram',
    help: 'From the head of a request to the end of its answer, by who called.',
    labels: { caller: 'partner, user, operator, auditor or nobody' },
    series: 5 * 24,
    queries: [
      {
        panel: 'latency',
        query:
          'histogram_quantile(0.5, sum by (le) (rate(holdfast_request_duration_seconds_bucket[$__rate_interval])))',
        legend: 'half',
      },
      {
        panel: 'latency',
        query:
          'histogram_quantile(0.99, sum by (le) (rate(holdfast_request_duration_seconds_bucket[$__rate_interval])))',
        legend: '99 of 100',
      },
    ],
    alerts: [
      {
        name: 'HoldfastSlow',
        expr: 'histogram_quantile(0.99, sum by (le) (rate(holdfast_request_duration_seconds_bucket{caller=~"partner|user"}[5m]))) > 2',
        for: '5m',
        severity: 'ticket',
        says: 'One in a hundred requests of partners takes more than two seconds.',
        does: 'See which of disk, gateway, servers and event loop is slow in the dashboard; docs/capacity.md says how much of what a load needs.',
        fires: {
          'holdfast_request_duration_seconds_bucket{caller="partner",le="2.048"}': '0+50x15',
          'holdfast_request_duration_seconds_bucket{caller="partner",le="4.096"}': '0+60x15',
          'holdfast_request_duration_seconds_bucket{caller="partner",le="+Inf"}': '0+60x15',
        },
        rests: {
          'holdfast_request_duration_seconds_bucket{caller="partner",le="0.032"}': '0+60x15',
          'holdfast_request_duration_seconds_bucket{caller="partner",le="2.048"}': '0+60x15',
          'holdfast_request_duration_seconds_bucket{caller="partner",le="+Inf"}': '0+60x15',
        },
        after: '12m',
      },
    ],
  },
  holdfast_requests_running: {
    type: 'gauge',
    help: 'Requests under way.',
    series: 1,
    queries: [{ panel: 'running', query: 'sum by (instance) (holdfast_requests_running)', legend: '{{instance}}' }],
  },
  holdfast_refusals_total: {
    type: 'counter',
    help: 'Refused requests by the code of the refusal.',
    labels: { code: 'a code of the business, such as cannot_fulfill, or else the error_type of the answer' },
    series: 120,
    queries: [
      {
        panel: 'refusals',
        query: 'topk(10, sum by (code) (rate(holdfast_refusals_total[$__rate_interval])))',
        legend: '{{code}}',
      },
    ],
  },
  holdfast_sales_total: {
    type: 'counter',
    help: 'Sales that this process has written.',
    labels: { kind: 'claim, direct, checkout or resale' },
    series: 4,
    reason: 'the panel of sales shows their units',
  },
  holdfast_units_sold_total: {
    type: 'counter',
    help: 'Units of these sales.',
    labels: { kind: 'claim, direct, checkout or resale' },
    series: 4,
    queries: [
      {
        panel: 'sales',
        query: 'sum by (kind) (rate(holdfast_units_sold_total[$__rate_interval]))',
        legend: '{{kind}}',
      },
    ],
  },
  holdfast_units_returned_total: {
    type: 'counter',
    help: 'Units of cancelled coupons that are for sale again.',
    series: 1,
    queries: [
      { panel: 'sales', query: 'sum(rate(holdfast_units_returned_total[$__rate_interval]))', legend: 'returned' },
    ],
  },
  holdfast_holds_total: {
    type: 'counter',
    help: 'Holds by what became of them, as this process has written it.',
    labels: { event: 'placed, claimed, released or expired' },
    series: 4,
    queries: [
      { panel: 'holds', query: 'sum by (event) (rate(holdfast_holds_total[$__rate_interval]))', legend: '{{event}}' },
    ],
  },
  holdfast_holds_open: {
    type: 'gauge',
    help: 'Holds that have not run out. All processes see the same.',
    series: 1,
    queries: [{ panel: 'holdsOpen', query: 'max(holdfast_holds_open)', legend: 'open holds' }],
  },
  holdfast_units_oversold: {
    type: 'gauge',
    help: 'Units that are held or sold beyond the stock of their deal, as the views have them. It must be 0.',
    series: 1,
    queries: [{ panel: 'oversold', query: 'max(holdfast_units_oversold)', legend: 'oversold' }],
    alerts: [
      {
        name: 'HoldfastOversold',
        expr: 'max(holdfast_units_oversold) > 0',
        for: '0m',
        severity: 'page',
        says: 'A deal has more units held or sold than its stock.',
        does: 'Take the deal off sale, run `holdfast verify`, and keep the log and the certificate of the deal: this is a fault of the software, or somebody has changed the log by hand.',
        fires: { holdfast_units_oversold: '0x4 1x10' },
        rests: { holdfast_units_oversold: '0x15' },
        after: '6m',
      },
    ],
  },
  holdfast_hot_deal_units_sold_per_second: {
    type: 'gauge',
    help: 'Units per second that this process sells of the deals that sell most, averaged over ten seconds.',
    labels: { deal: 'the slugs of the 20 hottest deals' },
    series: 20,
    queries: [
      { panel: 'hot', query: 'topk(20, sum by (deal) (holdfast_hot_deal_units_sold_per_second))', legend: '{{deal}}' },
    ],
  },
  holdfast_hot_deal_units_left: {
    type: 'gauge',
    help: 'Units left of these deals; absent if they are unlimited.',
    labels: { deal: 'the slugs of the 20 hottest deals' },
    series: 20,
    queries: [{ panel: 'hotLeft', query: 'min by (deal) (holdfast_hot_deal_units_left)', legend: '{{deal}}' }],
  },
} as const satisfies Readonly<Record<string, Metric>>;
