import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { METRIC_NAMES, METRICS, PANELS } from '#metrics/table';
import { ALERTS, PAGES, panels } from './pages.js';

/** Labels that a metric may have: none of them is an id, a person or a partner. */
const LABELS = [
  'method',
  'route',
  'status',
  'caller',
  'code',
  'kind',
  'event',
  'deal',
  'state',
  'view',
  'list',
  'call',
  'outcome',
  'version',
  'commit',
  'role',
  'server',
  'cache',
];

/** The metrics that an expression names. */
const namedIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/\bholdfast_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));

describe('G11.1: from one table are made', () => {
  it.each(Object.keys(PAGES))('%s, as it is committed (npm run metrics:page writes it)', async (file) => {
    expect(readFileSync(file, 'utf8')).toBe(await PAGES[file]?.());
  });
});

describe('G11.1: the table of metrics', () => {
  it.each(METRIC_NAMES)('%s has a panel or a reason, a unit in its name, and bounded labels without ids', (name) => {
    const metric = METRICS[name];
    if ('queries' in metric) for (const { query } of metric.queries) expect(namedIn(query)).toContain(name);
    else expect(metric.reason).not.toBe('');
    expect(metric.help).toMatch(/^[A-Z].*\.$/);
    expect(name.endsWith('_total')).toBe(metric.type === 'counter');
    if (metric.type === 'histogram') expect(name).toMatch(/_seconds$/);
    for (const label of Object.keys(metric.labels ?? {})) expect(LABELS).toContain(label);
  });

  it('has at most 2000 series for one process, and a deal only as one of the 20 hottest', () => {
    const all = METRIC_NAMES.map((name) => METRICS[name]);
    expect(all.reduce((sum, { series }) => sum + series, 0)).toBeLessThanOrEqual(2_000);
    for (const { labels = {}, series } of all) if ('deal' in labels) expect(series).toBe(20);
  });

  it('fills each panel, and names no metric that it does not have', () => {
    for (const [name, queries] of panels()) {
      expect([name, queries.length > 0]).toEqual([name, true]);
      for (const { query } of queries) for (const each of namedIn(query)) expect(METRIC_NAMES).toContain(each);
    }
    expect(panels()).toHaveLength(Object.keys(PANELS).length);
    for (const { expr } of ALERTS) for (const each of namedIn(expr)) expect(METRIC_NAMES).toContain(each);
    expect(new Set(ALERTS.map(({ name }) => name)).size).toBe(ALERTS.length);
  });

  it('has an alert for each thing that somebody must know', () => {
    expect(ALERTS.map(({ name }) => name)).toEqual(
      expect.arrayContaining(
        [
          ...['Oversold', 'Finding', 'AuditFault', 'AuditOld', 'LogFailed', 'LogRefused', 'AppendsFail', 'ClockOff'],
          ...['ServerAway', 'ViewBehind', 'ViewStopped', 'WorkStuck', 'WorkLate', 'CheckoutsOpen', 'GatewayErrors'],
          ...['MailsFail', 'EventLoopBlocked', 'DiskFillsUp', 'BackupOld', 'CertificateEnds', 'Down'],
        ].map((name) => `Holdfast${name}`),
      ),
    );
  });
});
