import type { Metric } from './metric.js';

/** The process itself, and what it needs. */
export const PROCESS_METRICS = {
  holdfast_process_info: {
    type: 'gauge',
    help: 'Which build runs, and as what; always 1.',
    labels: { version: 'of Holdfast', commit: 'that it was built from', role: 'all, api or worker' },
    series: 1,
    reason: 'it is for joins and for annotations',
    alerts: [
      {
        name: 'HoldfastDown',
        expr: 'up{job="holdfast"} == 0',
        for: '1m',
        severity: 'page',
        says: 'A process does not answer Prometheus.',
        does: 'See whether it runs (`systemctl status holdfast`) and what its log ends with; `holdfast doctor` says why a start is refused.',
        fires: { 'up{job="holdfast",instance="a"}': '0x12' },
        rests: { 'up{job="holdfast",instance="a"}': '1x12' },
        after: '4m',
      },
    ],
  },
  holdfast_process_start_timestamp_seconds: {
    type: 'gauge',
    help: 'When the process began.',
    series: 1,
    reason: 'restarts show as gaps and resets in every panel',
    alerts: [
      {
        name: 'HoldfastRestarts',
        expr: 'changes(holdfast_process_start_timestamp_seconds[15m]) > 3',
        for: '0m',
        severity: 'ticket',
        says: 'A process has been restarted more than three times in a quarter of an hour.',
        does: 'Read how its log ends before each restart, and run `holdfast doctor`.',
        fires: { 'holdfast_process_start_timestamp_seconds{instance="a"}': '100+60x20' },
        rests: { 'holdfast_process_start_timestamp_seconds{instance="a"}': '100x20' },
        after: '15m',
      },
    ],
  },
  holdfast_clock_timestamp_seconds: {
    type: 'gauge',
    help: 'The time by this machine’s clock, to be compared with that of Prometheus.',
    series: 1,
    queries: [
      {
        panel: 'clocks',
        query: 'max by (instance) (holdfast_clock_timestamp_seconds - timestamp(holdfast_clock_timestamp_seconds))',
        legend: '{{instance}}',
      },
    ],
    alerts: [
      {
        name: 'HoldfastClockApart',
        expr: 'max by (instance) (abs(holdfast_clock_timestamp_seconds - timestamp(holdfast_clock_timestamp_seconds))) > 10',
        for: '30s',
        severity: 'page',
        says: 'The clocks of a machine and of Prometheus differ by more than ten seconds: by the wrong one, holds, deals and tokens end too early or too late.',
        does: 'Find out which of the two is wrong, and correct it (timedatectl; chrony or systemd-timesyncd).',
        fires: { 'holdfast_clock_timestamp_seconds{instance="a"}': '3600+60x12' },
        rests: { 'holdfast_clock_timestamp_seconds{instance="a"}': '1+60x12' },
        after: '4m',
      },
    ],
  },
  holdfast_process_cpu_seconds_total: {
    type: 'counter',
    help: 'Processor time that the process has used.',
    series: 1,
    queries: [
      {
        panel: 'cpu',
        query: 'sum by (instance) (rate(holdfast_process_cpu_seconds_total[$__rate_interval]))',
        legend: '{{instance}}',
      },
    ],
  },
  holdfast_process_resident_bytes: {
    type: 'gauge',
    help: 'Memory of the process.',
    series: 1,
    queries: [
      { panel: 'memory', query: 'sum by (instance) (holdfast_process_resident_bytes)', legend: '{{instance}}' },
    ],
  },
  holdfast_process_heap_bytes: {
    type: 'gauge',
    help: 'Memory of its JavaScript values.',
    series: 1,
    queries: [
      { panel: 'memory', query: 'sum by (instance) (holdfast_process_heap_bytes)', legend: 'heap of {{instance}}' },
    ],
  },
  holdfast_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'The longest delay of the event loop in the last minute.',
    series: 1,
    queries: [
      { panel: 'loop', query: 'max by (instance) (holdfast_event_loop_delay_seconds)', legend: '{{instance}}' },
    ],
    alerts: [
      {
        name: 'HoldfastEventLoopBlocked',
        expr: 'max by (instance) (holdfast_event_loop_delay_seconds) > 1',
        for: '3m',
        severity: 'ticket',
        says: 'The event loop of a process stands still for more than a second at a time.',
        does: 'See whether the machine has processor left, and which calls run then; more processes share the load (docs/growing.md).',
        fires: { 'holdfast_event_loop_delay_seconds{instance="a"}': '3x12' },
        rests: { 'holdfast_event_loop_delay_seconds{instance="a"}': '0.05x12' },
        after: '7m',
      },
    ],
  },
  holdfast_server_up: {
    type: 'gauge',
    help: 'Whether a server that the process needs answered last.',
    labels: { server: 'EventStoreDB, MongoDB, Redis or the name of the gateway' },
    series: 4,
    queries: [{ panel: 'servers', query: 'min by (server) (holdfast_server_up)', legend: '{{server}}' }],
    alerts: [
      {
        name: 'HoldfastServerAway',
        expr: 'min by (server) (holdfast_server_up) == 0',
        for: '30s',
        severity: 'page',
        says: 'A server that Holdfast needs does not answer.',
        does: 'Bring it back, or the way to it; docs/growing.md says what waits meanwhile. Holdfast goes on by itself.',
        fires: { 'holdfast_server_up{server="MongoDB"}': '0x12' },
        rests: { 'holdfast_server_up{server="MongoDB"}': '1x12' },
        after: '4m',
      },
    ],
  },
  holdfast_disk_free_bytes: {
    type: 'gauge',
    help: 'Free room on the disk of the data folder.',
    series: 1,
    queries: [
      {
        panel: 'disk',
        query: 'min by (instance) (holdfast_disk_free_bytes / holdfast_disk_size_bytes)',
        legend: '{{instance}}',
      },
    ],
    alerts: [
      {
        name: 'HoldfastDiskFillsUp',
        expr: 'min by (instance) (holdfast_disk_free_bytes / holdfast_disk_size_bytes) < 0.1',
        for: '10m',
        severity: 'ticket',
        says: 'Less than a tenth of the disk of the data folder is free.',
        does: 'Make room or a larger disk: docs/growth.md says what grows, and what may be deleted.',
        fires: { 'holdfast_disk_free_bytes{instance="a"}': '5x20', 'holdfast_disk_size_bytes{instance="a"}': '100x20' },
        rests: {
          'holdfast_disk_free_bytes{instance="a"}': '50x20',
          'holdfast_disk_size_bytes{instance="a"}': '100x20',
        },
        after: '14m',
      },
    ],
  },
  holdfast_disk_size_bytes: {
    type: 'gauge',
    help: 'The size of the disk of the data folder.',
    series: 1,
    reason: 'the panel of the disk divides by it',
  },
  holdfast_backup_last_timestamp_seconds: {
    type: 'gauge',
    help: 'Up to when the newest backup in BACKUP_DIR reaches; absent without BACKUP_DIR, 0 if it holds none.',
    series: 1,
    queries: [{ panel: 'audit', query: 'time() - max(holdfast_backup_last_timestamp_seconds)', legend: 'backup' }],
    alerts: [
      {
        name: 'HoldfastBackupOld',
        expr: 'time() - max(holdfast_backup_last_timestamp_seconds) > 108000',
        for: '10m',
        severity: 'ticket',
        says: 'The newest backup is older than thirty hours.',
        does: 'Make one (`holdfast backup`), and find out why none was made since.',
        fires: { holdfast_backup_last_timestamp_seconds: '-110000x20' },
        rests: { holdfast_backup_last_timestamp_seconds: '0x20' },
        after: '14m',
      },
    ],
  },
  holdfast_certificate_expires_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate of TLS_CERT ends; absent without one.',
    series: 1,
    reason: 'it changes once in weeks: an alert says in time that it ends',
    alerts: [
      {
        name: 'HoldfastCertificateEnds',
        expr: 'min(holdfast_certificate_expires_timestamp_seconds) - time() < 1209600',
        for: '10m',
        severity: 'ticket',
        says: 'The TLS certificate ends within two weeks.',
        does: 'Renew it, and write the new files to TLS_CERT and TLS_KEY: the service takes them without a restart.',
        fires: { holdfast_certificate_expires_timestamp_seconds: '1000000x20' },
        rests: { holdfast_certificate_expires_timestamp_seconds: '9000000x20' },
        after: '14m',
      },
    ],
  },
  holdfast_cache_asked_total: {
    type: 'counter',
    help: 'How often a cache was asked.',
    labels: { cache: 'streams, deal_pages, deal_items, purchase_pages, purchase_items, coupon_pages or coupon_items' },
    series: 7,
    queries: [
      {
        panel: 'caches',
        query:
          '1 - sum by (cache) (rate(holdfast_cache_missed_total[$__rate_interval])) / sum by (cache) (rate(holdfast_cache_asked_total[$__rate_interval]))',
        legend: '{{cache}}',
      },
    ],
  },
  holdfast_cache_missed_total: {
    type: 'counter',
    help: 'How often a cache did not have it, or not as it is now.',
    labels: { cache: 'as of holdfast_cache_asked_total' },
    series: 7,
    reason: 'the panel of caches has it, with how often they were asked',
  },
  holdfast_streams_cached_bytes: {
    type: 'gauge',
    help: 'About how many bytes the states of idle streams have in memory.',
    series: 1,
    reason: 'it has a bound of its own, and the panel of memory shows the whole',
  },
} as const satisfies Readonly<Record<string, Metric>>;
