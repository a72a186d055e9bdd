import type { Metric } from './metric.js';

/** Views, work, the gateway and mails. */
export const WORK_METRICS = {
  holdfast_view_lag_seconds: {
    type: 'gauge',
    help: 'How much older the last event of a view is than the newest of the log.',
    labels: { view: 'the names of views' },
    series: 50,
    queries: [{ panel: 'viewLag', query: 'topk(5, max by (view) (holdfast_view_lag_seconds))', legend: '{{view}}' }],
    alerts: [
      {
        name: 'HoldfastViewBehind',
        expr: 'max by (view) (holdfast_view_lag_seconds) > 30',
        for: '2m',
        severity: 'page',
        says: 'A view is more than thirty seconds behind the log: lists and look-ups are old.',
        does: 'See `holdfast projections list`: a stopped view says why; a view that is built takes its time; a slow one needs processor or disk.',
        fires: { 'holdfast_view_lag_seconds{view="deals"}': '60x15' },
        rests: { 'holdfast_view_lag_seconds{view="deals"}': '1x15' },
        after: '6m',
      },
    ],
  },
  holdfast_view_lag_events: {
    type: 'gauge',
    help: 'Events of the log that a view has not seen.',
    labels: { view: 'the names of views' },
    series: 50,
    queries: [{ panel: 'viewEvents', query: 'topk(5, max by (view) (holdfast_view_lag_events))', legend: '{{view}}' }],
  },
  holdfast_view_live: {
    type: 'gauge',
    help: 'Whether a view is live: 0 while it is built for the first time, and if it has stopped.',
    labels: { view: 'the names of views' },
    series: 50,
    queries: [{ panel: 'viewState', query: 'min by (view) (holdfast_view_live) == 0', legend: '{{view}}' }],
    alerts: [
      {
        name: 'HoldfastViewStopped',
        expr: 'min by (view) (holdfast_view_live) == 0',
        for: '10m',
        severity: 'page',
        says: 'A view has stopped, or is still being built.',
        does: 'See `holdfast projections list`, which says at which event it stopped and why: resume it, rebuild it, or skip the event.',
        fires: { 'holdfast_view_live{view="deals"}': '0x20' },
        rests: { 'holdfast_view_live{view="deals"}': '1x20' },
        after: '14m',
      },
    ],
  },
  holdfast_projector_silence_seconds: {
    type: 'gauge',
    help: 'Seconds since the projector’s last report; absent before the first one.',
    series: 1,
    queries: [
      { panel: 'viewState', query: 'max(holdfast_projector_silence_seconds) > 15', legend: 'silence of the projector' },
    ],
    alerts: [
      {
        name: 'HoldfastProjectorSilent',
        expr: 'max(holdfast_projector_silence_seconds) > 60',
        for: '1m',
        severity: 'page',
        says: 'Nobody has heard of the projector for a minute: no view follows the log.',
        does: 'Check that a worker runs, and that MongoDB answers; the process log says why a projector breaks.',
        fires: { holdfast_projector_silence_seconds: '90x12' },
        rests: { holdfast_projector_silence_seconds: '2x12' },
        after: '5m',
      },
    ],
  },
  holdfast_work_due: {
    type: 'gauge',
    help: 'Rows of a work list that are due.',
    labels: { list: 'the names of work lists' },
    series: 20,
    queries: [{ panel: 'due', query: 'max by (list) (holdfast_work_due)', legend: '{{list}}' }],
  },
  holdfast_work_late_seconds: {
    type: 'gauge',
    help: 'How long the oldest due row of a work list has been due.',
    labels: { list: 'the names of work lists' },
    series: 20,
    queries: [{ panel: 'late', query: 'max by (list) (holdfast_work_late_seconds)', legend: '{{list}}' }],
    alerts: [
      {
        name: 'HoldfastWorkLate',
        expr: 'max by (list) (holdfast_work_late_seconds{list!="open-checkouts"}) > 300',
        for: '5m',
        severity: 'ticket',
        says: 'Work has been due for five minutes and is not done.',
        does: 'Check that a process with timers runs (`TIMERS`, workers), that Redis answers if there is one, and read the process log of the list.',
        fires: { 'holdfast_work_late_seconds{list="followers"}': '400x15' },
        rests: { 'holdfast_work_late_seconds{list="followers"}': '2x15' },
        after: '10m',
      },
      {
        name: 'HoldfastCheckoutsOpen',
        expr: 'max(holdfast_work_late_seconds{list="open-checkouts"}) > 300',
        for: '1m',
        severity: 'page',
        says: 'A charge has had no outcome for five minutes: its units are held, and its buyer waits.',
        does: 'Check that the gateway answers; the same charge is repeated until it does, and nobody pays twice.',
        fires: { 'holdfast_work_late_seconds{list="open-checkouts"}': '400x15' },
        rests: { 'holdfast_work_late_seconds{list="open-checkouts"}': '20x15' },
        after: '5m',
      },
    ],
  },
  holdfast_work_stuck: {
    type: 'gauge',
    help: 'Pieces of work that were tried ten times or more.',
    labels: { list: 'the names of work lists' },
    series: 20,
    queries: [{ panel: 'stuck', query: 'max by (list) (holdfast_work_stuck)', legend: '{{list}}' }],
    alerts: [
      {
        name: 'HoldfastWorkStuck',
        expr: 'max by (list) (holdfast_work_stuck) > 0',
        for: '5m',
        severity: 'ticket',
        says: 'A piece of work keeps failing.',
        does: 'The process log names the row and its error; put right what it names, and it goes on by itself.',
        fires: { 'holdfast_work_stuck{list="followers"}': '1x15' },
        rests: { 'holdfast_work_stuck{list="followers"}': '0x15' },
        after: '8m',
      },
    ],
  },
  holdfast_gateway_calls_total: {
    type: 'counter',
    help: 'Calls to the payment gateway by what became of them.',
    labels: {
      call: 'charge, refund or cancel',
      outcome: 'approved, declined, done, cancelled, refused, other-ledger or unknown',
    },
    series: 21,
    queries: [
      {
        panel: 'gateway',
        query: 'sum by (outcome) (rate(holdfast_gateway_calls_total[$__rate_interval]))',
        legend: '{{outcome}}',
      },
    ],
    alerts: [
      {
        name: 'HoldfastGatewayErrors',
        expr: 'sum(rate(holdfast_gateway_calls_total{outcome=~"unknown|other-ledger"}[5m])) / sum(rate(holdfast_gateway_calls_total[5m])) > 0.05',
        for: '2m',
        severity: 'page',
        says: 'More than one in twenty calls to the gateway gets no outcome.',
        does: 'Check the gateway and the way to it; `other-ledger` means that it has another ledger than before (docs/ownership.md).',
        fires: {
          'holdfast_gateway_calls_total{call="charge",outcome="unknown"}': '0+6x15',
          'holdfast_gateway_calls_total{call="charge",outcome="approved"}': '0+60x15',
        },
        rests: {
          'holdfast_gateway_calls_total{call="charge",outcome="unknown"}': '0+0x15',
          'holdfast_gateway_calls_total{call="charge",outcome="approved"}': '0+60x15',
        },
        after: '10m',
      },
    ],
  },
  holdfast_gateway_duration_seconds: {
    type: 'histogram',
    help: 'How long calls to the payment gateway take.',
    labels: { call: 'charge, refund or cancel' },
    series: 3 * 24,
    queries: [
      {
        panel: 'gatewayTime',
        query:
          'histogram_quantile(0.99, sum by (le, call) (rate(holdfast_gateway_duration_seconds_bucket[$__rate_interval])))',
        legend: '{{call}}, 99 of 100',
      },
    ],
  },
  holdfast_mails_total: {
    type: 'counter',
    help: 'Mails that were handed over, by what became of them.',
    labels: { outcome: 'sent, refused, delayed or unknown' },
    series: 4,
    queries: [
      {
        panel: 'mails',
        query: 'sum by (outcome) (rate(holdfast_mails_total[$__rate_interval]))',
        legend: '{{outcome}}',
      },
    ],
    alerts: [
      {
        name: 'HoldfastMailsFail',
        expr: 'sum(increase(holdfast_mails_total{outcome!="sent"}[15m])) / sum(increase(holdfast_mails_total[15m])) > 0.5',
        for: '10m',
        severity: 'ticket',
        says: 'More than half of the mails do not leave.',
        does: 'Run `holdfast doctor`, which asks the mail server; the process log has its answers. What is delayed is sent again.',
        fires: {
          'holdfast_mails_total{outcome="delayed"}': '0+4x40',
          'holdfast_mails_total{outcome="sent"}': '0+1x40',
        },
        rests: {
          'holdfast_mails_total{outcome="delayed"}': '0+1x40',
          'holdfast_mails_total{outcome="sent"}': '0+4x40',
        },
        after: '30m',
      },
    ],
  },
} as const satisfies Readonly<Record<string, Metric>>;
