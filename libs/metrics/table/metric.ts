/** A query of a panel. `$__rate_interval` stands for the interval that Grafana chooses. */
export interface PanelQuery {
  readonly panel: PanelName;
  readonly query: string;
  /** What its lines are called; `{{label}}` stands for a label's value. */
  readonly legend: string;
}

/** A rule that calls somebody. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** How long it must be so, such as `5m`. */
  readonly for: string;
  /** `page`: somebody must act now. `ticket`: somebody must act soon. */
  readonly severity: 'page' | 'ticket';
  /** What is wrong. */
  readonly says: string;
  /** What to do. */
  readonly does: string;
  /** Series, a value a minute, with which it fires after `after`, and with which it does not. */
  readonly fires: Readonly<Record<string, string>>;
  readonly rests: Readonly<Record<string, string>>;
  readonly after: string;
}

interface Common {
  /** What it is, in one line. */
  readonly help: string;
  /** Its labels, and which values each has. No label has an id, a person or a partner. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The most series that one process has of it. */
  readonly series: number;
  readonly alerts?: readonly Alert[];
}

/** One metric. It is in a panel, or says why it is in none. */
export type Metric = Common & { readonly type: 'counter' | 'gauge' | 'histogram' } & (
    | { readonly queries: readonly [PanelQuery, ...PanelQuery[]] }
    | { readonly reason: string }
  );

/** A panel of the dashboard. */
export interface Panel {
  readonly title: string;
  readonly row: string;
  /** A unit as Grafana names it. */
  readonly unit: string;
}

/** The panels, in their order. */
export const PANELS = {
  sales: { title: 'Units sold', row: 'Sales', unit: 'ops' },
  oversold: { title: 'Units oversold: must be 0', row: 'Sales', unit: 'short' },
  holds: { title: 'Holds', row: 'Sales', unit: 'ops' },
  holdsOpen: { title: 'Open holds', row: 'Sales', unit: 'short' },
  hot: { title: 'The deals that sell most', row: 'Sales', unit: 'ops' },
  hotLeft: { title: 'Units left of them', row: 'Sales', unit: 'short' },
  refusals: { title: 'Refusals', row: 'Requests', unit: 'reqps' },
  requests: { title: 'Requests by route', row: 'Requests', unit: 'reqps' },
  statuses: { title: 'Requests by status', row: 'Requests', unit: 'reqps' },
  latency: { title: 'Duration of requests', row: 'Requests', unit: 's' },
  running: { title: 'Requests under way', row: 'Requests', unit: 'short' },
  commands: { title: 'Commands, appends and syncs', row: 'The log', unit: 'ops' },
  waits: { title: 'Waits and appends', row: 'The log', unit: 's' },
  queue: { title: 'Commands in line', row: 'The log', unit: 'short' },
  log: { title: 'State of the log', row: 'The log', unit: 'short' },
  findings: { title: 'Findings and faults: must be 0', row: 'The log', unit: 'short' },
  viewLag: { title: 'Views behind the log', row: 'Views and work', unit: 's' },
  viewEvents: { title: 'Events that views lack', row: 'Views and work', unit: 'short' },
  viewState: { title: 'Views that do not follow', row: 'Views and work', unit: 'short' },
  due: { title: 'Work due', row: 'Views and work', unit: 'short' },
  late: { title: 'The oldest work due', row: 'Views and work', unit: 's' },
  stuck: { title: 'Work stuck', row: 'Views and work', unit: 'short' },
  gateway: { title: 'Calls to the gateway', row: 'Money and mails', unit: 'ops' },
  gatewayTime: { title: 'Duration of calls to the gateway', row: 'Money and mails', unit: 's' },
  mails: { title: 'Mails', row: 'Money and mails', unit: 'ops' },
  servers: { title: 'Servers that answer', row: 'Processes', unit: 'short' },
  loop: { title: 'Delay of the event loop', row: 'Processes', unit: 's' },
  clocks: { title: 'Clocks ahead of that of Prometheus', row: 'Processes', unit: 's' },
  cpu: { title: 'Processors used', row: 'Processes', unit: 'short' },
  memory: { title: 'Memory', row: 'Processes', unit: 'bytes' },
  disk: { title: 'Free disk', row: 'Processes', unit: 'percentunit' },
  caches: { title: 'Found in caches', row: 'Processes', unit: 'percentunit' },
  audit: { title: 'Age of self-audit and backup', row: 'Processes', unit: 's' },
} as const satisfies Readonly<Record<string, Panel>>;
export type PanelName = keyof typeof PANELS;
