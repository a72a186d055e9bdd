import type { Metric } from './metric.js';

/** Commands, the log, and whether it is whole. */
export const LOG_METRICS = {
  holdfast_commands_total: {
    type: 'counter',
    help: 'Commands that were sent to the command loop.',
    series: 1,
    queries: [{ panel: 'commands', query: 'sum(rate(holdfast_commands_total[$__rate_interval]))', legend: 'commands' }],
  },
  holdfast_commands_waiting: {
    type: 'gauge',
    help: 'Commands that wait in line, or whose events are being written.',
    series: 1,
    queries: [{ panel: 'queue', query: 'sum by (instance) (holdfast_commands_waiting)', legend: '{{instance}}' }],
  },
  holdfast_streams_active: {
    type: 'gauge',
    help: 'Streams that are being decided on.',
    series: 1,
    queries: [
      { panel: 'queue', query: 'sum by (instance) (holdfast_streams_active)', legend: 'streams of {{instance}}' },
    ],
  },
  holdfast_command_wait_seconds: {
    type: 'histogram',
    help: 'How long commands wait in line for their decision.',
    series: 24,
    queries: [
      {
        panel: 'waits',
        query: 'histogram_quantile(0.99, sum by (le) (rate(holdfast_command_wait_seconds_bucket[$__rate_interval])))',
        legend: 'wait, 99 of 100',
      },
    ],
  },
  holdfast_conflicts_total: {
    type: 'counter',
    help: 'Decisions that were made again, because another process had written to their stream.',
    series: 1,
    queries: [
      { panel: 'commands', query: 'sum(rate(holdfast_conflicts_total[$__rate_interval]))', legend: 'conflicts' },
    ],
  },
  holdfast_appends_total: {
    type: 'counter',
    help: 'Lists of events, each for one stream, that are on disk.',
    series: 1,
    queries: [{ panel: 'commands', query: 'sum(rate(holdfast_appends_total[$__rate_interval]))', legend: 'appends' }],
  },
  holdfast_events_written_total: {
    type: 'counter',
    help: 'Events that this process has written.',
    series: 1,
    queries: [
      { panel: 'commands', query: 'sum(rate(holdfast_events_written_total[$__rate_interval]))', legend: 'events' },
    ],
  },
  holdfast_syncs_total: {
    type: 'counter',
    help: 'Syncs of the embedded log; absent if a server keeps the log.',
    series: 1,
    queries: [{ panel: 'commands', query: 'sum(rate(holdfast_syncs_total[$__rate_interval]))', legend: 'syncs' }],
  },
  holdfast_append_duration_seconds: {
    type: 'histogram',
    help: 'How long the log takes to put events on disk, the wait for its line included.',
    series: 24,
    queries: [
      {
        panel: 'waits',
        query:
          'histogram_quantile(0.99, sum by (le) (rate(holdfast_append_duration_seconds_bucket[$__rate_interval])))',
        legend: 'append, 99 of 100',
      },
    ],
  },
  holdfast_append_failures_total: {
    type: 'counter',
    help: 'Appends that the log has refused or not answered.',
    series: 1,
    queries: [
      {
        panel: 'log',
        query: 'sum(rate(holdfast_append_failures_total[$__rate_interval]))',
        legend: 'failures per second',
      },
    ],
    alerts: [
      {
        name: 'HoldfastAppendsFail',
        expr: 'sum by (instance) (rate(holdfast_append_failures_total[2m])) > 0',
        for: '1m',
        severity: 'page',
        says: 'The event log refuses appends, or does not answer them: nothing is sold meanwhile.',
        does: 'Read `/health/ready`: a full disk needs room, a server must be reached, a refusal names the setting of the server.',
        fires: { 'holdfast_append_failures_total{instance="a"}': '0+5x15' },
        rests: { 'holdfast_append_failures_total{instance="a"}': '5x15' },
        after: '8m',
      },
    ],
  },
  holdfast_log_state: {
    type: 'gauge',
    help: 'The state of the log as /health/ready says it: 1 for the one that holds.',
    labels: { state: 'writing, failed or refused' },
    series: 3,
    queries: [{ panel: 'log', query: 'max by (state) (holdfast_log_state)', legend: '{{state}}' }],
    alerts: [
      {
        name: 'HoldfastLogFailed',
        expr: 'max by (instance) (holdfast_log_state{state="failed"}) == 1',
        for: '30s',
        severity: 'page',
        says: 'The event log takes no appends: a full disk, a failed disk, or a server that does not answer.',
        does: 'Read `/health/ready`. Make room on the disk, and it goes on by itself; after a failed sync, check the disk and restart; reach the server.',
        fires: { 'holdfast_log_state{instance="a",state="failed"}': '0x3 1x12' },
        rests: { 'holdfast_log_state{instance="a",state="failed"}': '0x15' },
        after: '8m',
      },
      {
        name: 'HoldfastLogRefused',
        expr: 'max by (instance) (holdfast_log_state{state="refused"}) == 1',
        for: '0m',
        severity: 'page',
        says: 'The event log is not this installation’s, not whole, or this machine’s clock is not trusted: nothing is decided.',
        does: 'Read the finding in `/health/ready` and docs/ownership.md; accept nothing before you know what it loses.',
        fires: { 'holdfast_log_state{instance="a",state="refused"}': '1x12' },
        rests: { 'holdfast_log_state{instance="a",state="refused"}': '0x15' },
        after: '3m',
      },
    ],
  },
  holdfast_findings: {
    type: 'gauge',
    help: 'Facts that show that the log is not whole or not ours. It must be 0.',
    series: 1,
    queries: [{ panel: 'findings', query: 'max(holdfast_findings)', legend: 'findings' }],
    alerts: [
      {
        name: 'HoldfastFinding',
        expr: 'max by (instance) (holdfast_findings) > 0',
        for: '0m',
        severity: 'page',
        says: 'Something shows that the log or a stream is not whole or not ours.',
        does: 'Read the finding in `/health/ready`, then its section of docs/ownership.md.',
        fires: { 'holdfast_findings{instance="a"}': '1x12' },
        rests: { 'holdfast_findings{instance="a"}': '0x12' },
        after: '3m',
      },
    ],
  },
  holdfast_clock_trusted: {
    type: 'gauge',
    help: 'Whether this machine’s clock is trusted: 0 if it differs from that of the log’s server.',
    series: 1,
    queries: [{ panel: 'log', query: 'min(holdfast_clock_trusted)', legend: 'clock trusted' }],
    alerts: [
      {
        name: 'HoldfastClockOff',
        expr: 'min by (instance) (holdfast_clock_trusted) == 0',
        for: '0m',
        severity: 'page',
        says: 'The clock of a machine differs by more than ten seconds from that of the log’s server: its process decides nothing.',
        does: 'Correct the clock that is wrong (timedatectl; chrony or systemd-timesyncd). It goes on by itself.',
        fires: { 'holdfast_clock_trusted{instance="a"}': '0x12' },
        rests: { 'holdfast_clock_trusted{instance="a"}': '1x12' },
        after: '3m',
      },
    ],
  },
  holdfast_server_clock_trusted: {
    type: 'gauge',
    help: 'Whether the clock of the log’s server is trusted: 0 if it is wrong, and this machine’s is known to be right; 1 also if no server keeps the log.',
    series: 1,
    queries: [{ panel: 'log', query: 'min(holdfast_server_clock_trusted)', legend: 'clock of the server trusted' }],
    alerts: [
      {
        name: 'HoldfastServerClockOff',
        expr: 'min(holdfast_server_clock_trusted) == 0',
        for: '0m',
        severity: 'ticket',
        says: 'The clock of the log’s server is wrong by more than ten seconds. Sales go on: this machine’s clock is known to be right.',
        does: 'Correct the clock of the server that the process log names. Until then a process that starts refuses the log.',
        fires: { holdfast_server_clock_trusted: '0x12' },
        rests: { holdfast_server_clock_trusted: '1x12' },
        after: '3m',
      },
    ],
  },
  holdfast_audit_faults: {
    type: 'gauge',
    help: 'What contradicts itself in the log or in what was built from it, as the self-audit found it. It must be 0.',
    series: 1,
    queries: [{ panel: 'findings', query: 'max(holdfast_audit_faults)', legend: 'faults of the audit' }],
    alerts: [
      {
        name: 'HoldfastAuditFault',
        expr: 'max(holdfast_audit_faults) > 0',
        for: '0m',
        severity: 'page',
        says: 'The self-audit has found what contradicts itself.',
        does: 'Run `holdfast verify`, and look each fault up in docs/ownership.md: a damaged view is rebuilt, a changed log is a case for a restore.',
        fires: { holdfast_audit_faults: '2x12' },
        rests: { holdfast_audit_faults: '0x12' },
        after: '3m',
      },
    ],
  },
  holdfast_audit_last_pass_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last whole pass of the self-audit ended; absent before the first one.',
    series: 1,
    queries: [
      { panel: 'audit', query: 'time() - max(holdfast_audit_last_pass_timestamp_seconds)', legend: 'self-audit' },
    ],
    alerts: [
      {
        name: 'HoldfastAuditOld',
        expr: 'time() - max(holdfast_audit_last_pass_timestamp_seconds) > 604800',
        for: '1h',
        severity: 'ticket',
        says: 'The self-audit has not finished a pass for a week.',
        does: 'See its progress in `/health/ready` and why it stops in the process log; run `holdfast verify` meanwhile.',
        fires: { holdfast_audit_last_pass_timestamp_seconds: '-700000x90' },
        rests: { holdfast_audit_last_pass_timestamp_seconds: '0x90' },
        after: '70m',
      },
    ],
  },
  holdfast_audit_progress: {
    type: 'gauge',
    help: 'How far the present pass of the self-audit is, 0 to 1; absent between two passes and where none runs.',
    series: 1,
    reason: 'the age of the last pass says whether it goes on',
  },
} as const satisfies Readonly<Record<string, Metric>>;
