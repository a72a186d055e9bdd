import type { WorkCounts } from '#eventsourcing';
import { SECOND } from '#kernel';
import { Exposition, type Shown, type Sources, type Value } from '#metrics';
import { BUILD } from '../build.js';
import type { Service } from '../service.js';
import { ServiceHealth } from '../health/service-health.js';
import { Figures } from './figures.js';

const one = (value: number | null | undefined): Shown => (value === null || value === undefined ? [] : [{ value }]);

const by = (label: string, counts: Iterable<readonly [string, number]>): readonly Value[] =>
  [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));

const flag = (is: boolean): number => (is ? 1 : 0);

/** The metrics of a process. */
export function expositionOf(service: Service): Exposition {
  return new Exposition(sourcesOf(service, service.metrics.figures ?? new Figures()));
}

/** Says what each metric shows now. Nothing here counts: it reads what others have counted, or know anyway. */
function sourcesOf(service: Service, figures: Figures): Sources {
  const { engine, metrics, guard, ledger, projections, audits } = service;
  const { requests, sales, log, gateway, mails } = figures;
  const { loop, time } = engine;
  const { looks, outside } = metrics;
  const views = (
    value: (view: NonNullable<ReturnType<typeof projections.report>>['views'][number]) => number | null,
  ): Shown =>
    (projections.report()?.views ?? []).flatMap((each) => {
      const shown = value(each);
      return shown === null ? [] : [{ labels: { view: each.view }, value: shown }];
    });
  const work = async (value: (counts: WorkCounts) => number | null): Promise<Shown> =>
    ((await looks.work.renewed()) ?? []).flatMap((counts) => {
      const shown = value(counts);
      return shown === null ? [] : [{ labels: { list: counts.list }, value: shown }];
    });
  const health = new ServiceHealth(service);
  return {
    holdfast_requests_total: () =>
      requests.counts.map(({ method, route, status, count }) => ({
        labels: { method, route, status: String(status) },
        value: count,
      })),
    holdfast_request_duration_seconds: () =>
      Object.entries(requests.durations).map(([caller, durations]) => ({ labels: { caller }, durations })),
    holdfast_requests_running: () => one(requests.running),
    holdfast_refusals_total: () => by('code', requests.refusals),
    holdfast_sales_total: () => by('kind', Object.entries(sales.sales)),
    holdfast_units_sold_total: () => by('kind', Object.entries(sales.units)),
    holdfast_units_returned_total: () => one(sales.returned),
    holdfast_holds_total: () => by('event', Object.entries(sales.holds)),
    holdfast_holds_open: async () => one((await looks.holds.renewed())?.open),
    holdfast_units_oversold: async () => one(await looks.oversold.renewed()),
    holdfast_hot_deal_units_sold_per_second: () =>
      by(
        'deal',
        sales.hottest.now.map(({ deal, soldPerSecond }) => [deal, soldPerSecond]),
      ),
    holdfast_hot_deal_units_left: () =>
      sales.hottest.now.flatMap(({ deal, left }) => (left === null ? [] : [{ labels: { deal }, value: left }])),
    holdfast_commands_total: () => one(loop.stats.commands),
    holdfast_commands_waiting: () => one(loop.load.commands),
    holdfast_streams_active: () => one(loop.load.streams),
    holdfast_command_wait_seconds: () => [{ durations: loop.waits }],
    holdfast_conflicts_total: () => one(loop.stats.conflicts),
    holdfast_appends_total: () => one(log.appends),
    holdfast_events_written_total: () => one(log.events),
    holdfast_syncs_total: () => one(outside.syncs()),
    holdfast_append_duration_seconds: () => [{ durations: log.durations }],
    holdfast_append_failures_total: () => one(log.failures),
    holdfast_log_state: async () => {
      const { state } = await health.log();
      return by(
        'state',
        (['writing', 'failed', 'refused'] as const).map((each) => [each, flag(each === state)]),
      );
    },
    holdfast_findings: () => one(guard.findings.length + guard.unreported + ledger.findings.length),
    holdfast_clock_trusted: () => one(flag(guard.wrongClock === undefined)),
    holdfast_server_clock_trusted: () => one(flag(guard.wrongServer === undefined)),
    holdfast_audit_faults: () => one(audits.selfAudit()?.count),
    holdfast_audit_last_pass_timestamp_seconds: () => one(seconds(audits.selfAudit()?.last?.at)),
    holdfast_audit_progress: () => one(audits.selfAudit()?.progress),
    holdfast_view_lag_seconds: () => views(({ lagSeconds }) => lagSeconds),
    holdfast_view_lag_events: () => views(({ lagEvents }) => lagEvents),
    holdfast_view_live: () => views(({ state }) => flag(state === 'live' && projections.failure() === undefined)),
    holdfast_projector_silence_seconds: () => {
      const silence = projections.silentFor() / SECOND;
      return Number.isFinite(silence) ? one(silence) : [];
    },
    holdfast_work_due: () => work(({ due }) => due),
    holdfast_work_late_seconds: () =>
      work(({ due, first }) => due && Math.max(0, engine.clock.now() - (first?.row.due_at ?? Infinity)) / SECOND),
    holdfast_work_stuck: () => work(({ stuck }) => stuck),
    holdfast_gateway_calls_total: () =>
      gateway.counts.map(({ call, outcome, count }) => ({ labels: { call, outcome }, value: count })),
    holdfast_gateway_duration_seconds: () =>
      Object.entries(gateway.durations).map(([call, durations]) => ({ labels: { call }, durations })),
    holdfast_mails_total: () => by('outcome', Object.entries(mails)),
    holdfast_process_info: () => [{ labels: { ...BUILD, role: service.role }, value: 1 }],
    holdfast_process_start_timestamp_seconds: () => one((time.wall() - time.monotonic()) / SECOND),
    holdfast_clock_timestamp_seconds: () => one(time.wall() / SECOND),
    holdfast_process_cpu_seconds_total: () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / MICROSECONDS);
    },
    holdfast_process_resident_bytes: () => one(process.memoryUsage.rss()),
    holdfast_process_heap_bytes: () => one(process.memoryUsage().heapUsed),
    holdfast_event_loop_delay_seconds: () => one(metrics.eventLoopDelay()),
    holdfast_server_up: () => {
      const away = service.isRedisAway();
      return [
        ...outside.servers().map(({ name, answers }) => ({ labels: { server: name }, value: flag(answers) })),
        ...(away === undefined ? [] : [{ labels: { server: 'Redis' }, value: flag(!away) }]),
      ];
    },
    holdfast_disk_free_bytes: async () => one((await outside.disk.renewed())?.free),
    holdfast_disk_size_bytes: async () => one((await outside.disk.renewed())?.size),
    holdfast_backup_last_timestamp_seconds: async () => one(seconds(await outside.backup.renewed())),
    holdfast_certificate_expires_timestamp_seconds: async () => one(seconds(await outside.certificate.renewed())),
    holdfast_cache_asked_total: () => [
      { labels: { cache: 'streams' }, value: loop.stats.commands },
      ...by(
        'cache',
        Object.entries(metrics.caches).map(([name, { asked }]) => [name, asked]),
      ),
    ],
    holdfast_cache_missed_total: () => [
      { labels: { cache: 'streams' }, value: loop.stats.loads },
      ...by(
        'cache',
        Object.entries(metrics.caches).map(([name, { made }]) => [name, made]),
      ),
    ],
    holdfast_streams_cached_bytes: () => one(loop.load.bytes),
  };
}

const MICROSECONDS = 1_000_000;

const seconds = (instant: number | null | undefined): number | null | undefined =>
  typeof instant === 'number' ? instant / SECOND : instant;
