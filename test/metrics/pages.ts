import { type Alert, type Metric, METRIC_NAMES, METRICS, type PanelName, PANELS } from '#metrics/table';
import { formatted } from '../support/formatted.js';

/** What is made from the table of metrics (`npm run metrics:page`). */
export const PAGES: Readonly<Record<string, () => Promise<string>>> = {
  'docs/metrics.md': () => formatted('metrics.md', page()),
  'deploy/grafana/holdfast.json': () => formatted('holdfast.json', JSON.stringify(dashboard())),
  'deploy/prometheus/rules.yml': () => formatted('rules.yml', rules()),
};

const alertsOf = (metric: Metric): readonly Alert[] => metric.alerts ?? [];
export const ALERTS: readonly Alert[] = METRIC_NAMES.flatMap((name) => alertsOf(METRICS[name]));

/** Each panel with its queries. */
export const panels = (): readonly (readonly [
  PanelName,
  readonly { readonly query: string; readonly legend: string }[],
])[] =>
  (Object.keys(PANELS) as PanelName[]).map((panel) => [
    panel,
    METRIC_NAMES.flatMap((name) => {
      const metric = METRICS[name];
      return 'queries' in metric ? metric.queries.filter((each) => each.panel === panel) : [];
    }),
  ]);

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const INTRODUCTION = `# Metrics

<!-- Made from libs/metrics/table by \`npm run metrics:page\`. -->

Each process answers \`GET /metrics\` with its figures for Prometheus. It takes the token of an auditor or an operator. With \`ADMIN_HOST\`, it answers at that address alone, to everybody who reaches it. Workers answer too: set their \`PORT\`.

\`\`\`yaml
scrape_configs:
  - job_name: holdfast
    scrape_interval: 15s
    authorization: { credentials_file: /etc/prometheus/holdfast-auditor.token }
    static_configs: [{ targets: ['127.0.0.1:3000'] }]
rule_files: [/etc/prometheus/holdfast-rules.yml]
\`\`\`

The rules are [deploy/prometheus/rules.yml](../deploy/prometheus/rules.yml), and [deploy/grafana/holdfast.json](../deploy/grafana/holdfast.json) is a dashboard for Grafana. The job must be called \`holdfast\`.

No metric has an id, a person or a partner. A deal's slug is the label of the 20 deals that sell most, and of no other. Counters begin at 0 with the process, and count what this process has done: add them up. Gauges about the log, views and work are the same in every process: take the largest, or the smallest. A process has at most ${METRIC_NAMES.reduce((sum, name) => sum + METRICS[name].series, 0)} series.

For a look without Prometheus, \`holdfast metrics show\` has the last hour by the second and the last day by the minute, also of processes that are gone (\`GET /operators/metrics\`).`;

function page(): string {
  const rows = METRIC_NAMES.map((name) => {
    const metric = METRICS[name];
    const labels = Object.entries(metric.labels ?? {}).map(([label, values]) => `${code(label)}: ${values}`);
    const shown =
      'queries' in metric
        ? [...new Set(metric.queries.map(({ panel }) => PANELS[panel].title))].join('; ')
        : `none: ${metric.reason}`;
    return [code(name), metric.type, metric.help, labels.join('; '), shown].map(cell);
  });
  const alerts = ALERTS.map(
    ({ name, severity, for: time, says, does, expr }) =>
      `### ${name}\n\n${says} (${severity}${time === '0m' ? '' : `, after ${time}`})\n\n${does}\n\n\`\`\`promql\n${expr}\n\`\`\``,
  );
  return `${INTRODUCTION}

## What there is

${table(['metric', 'type', 'what it is', 'labels', 'panel'], rows)}

## Alerts, and what to do

\`page\`: somebody must act now. \`ticket\`: somebody must act soon.

${alerts.join('\n\n')}
`;
}

/** Where the alerts are explained. */
const RUNBOOK = 'docs/metrics.md';

/** The rules of the alerts, as Prometheus reads them. */
function rules(): string {
  const lines = ALERTS.flatMap(({ name, expr, for: time, severity, says, does }) => [
    `      - alert: ${name}`,
    `        expr: ${JSON.stringify(expr)}`,
    `        for: ${time}`,
    `        labels:`,
    `          severity: ${severity}`,
    `        annotations:`,
    `          summary: ${JSON.stringify(says)}`,
    `          description: ${JSON.stringify(does)}`,
    `          runbook: ${RUNBOOK}#${name.toLowerCase()}`,
  ]);
  const head = [
    '# Made from libs/metrics/table by npm run metrics:page.',
    'groups:',
    '  - name: holdfast',
    '    rules:',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

/** Tests of the rules, as \`promtool test rules\` takes them: each alert fires where it must, and rests where it must. */
export function ruleTests(rulesFile: string): object {
  return {
    rule_files: [rulesFile],
    evaluation_interval: '30s',
    tests: ALERTS.flatMap((alert) =>
      (['fires', 'rests'] as const).map((what) => ({
        interval: '1m',
        name: `${alert.name} ${what}`,
        input_series: Object.entries(alert[what]).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert.name}",alertstate="firing"}) or vector(0)`,
            eval_time: alert.after,
            exp_samples: [{ labels: '{}', value: what === 'fires' ? 1 : 0 }],
          },
        ],
      })),
    ),
  };
}

const WIDTH = 8;
const HEIGHT = 8;

function dashboard(): object {
  const all: object[] = [];
  let [id, x, y, row] = [1, 0, 0, ''];
  const SOURCE = { type: 'prometheus', uid: '${source}' };
  for (const [name, queries] of panels()) {
    const panel = PANELS[name];
    if (panel.row !== row) {
      if (x > 0) y += HEIGHT;
      ({ row } = panel);
      all.push({ id: id++, type: 'row', title: row, collapsed: false, panels: [], gridPos: { x: 0, y, w: 24, h: 1 } });
      [x, y] = [0, y + 1];
    }
    all.push({
      id: id++,
      type: 'timeseries',
      title: panel.title,
      datasource: SOURCE,
      gridPos: { x, y, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
      options: {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
      targets: queries.map(({ query, legend }, nth) => ({
        refId: String.fromCharCode(65 + nth),
        datasource: SOURCE,
        expr: query,
        legendFormat: legend,
      })),
    });
    x += WIDTH;
    if (x >= 3 * WIDTH) [x, y] = [0, y + HEIGHT];
  }
  return {
    uid: 'holdfast',
    title: 'Holdfast',
    tags: ['holdfast'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    templating: {
      list: [{ name: 'source', label: 'Source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 }],
    },
    annotations: {
      list: [
        {
          name: 'Alerts',
          datasource: SOURCE,
          enable: true,
          expr: 'ALERTS{alertstate="firing",job="holdfast"}',
          titleFormat: '{{alertname}}',
          iconColor: 'red',
        },
      ],
    },
    panels: all,
  };
}
