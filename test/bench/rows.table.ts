/** How a row is read. */
interface Kind {
  /** `ratio`: of the yardstick's rate. `times`: of another measurement of ours. */
  readonly unit: 'ratio' | 'times' | 's' | 'MB' | 'per second';
  readonly better: 'higher' | 'lower';
}

/** One row of the table. */
export interface RowSpec extends Kind {
  readonly title: string;
  /** What the figure is compared with, if it is a ratio. */
  readonly against?: string;
  /** The floor of a figure that should be high, the ceiling of one that should be low; absent for a row that is only shown. */
  readonly limit?: number;
  readonly goal?: number;
  /** Needs a data folder that takes minutes to make; runs only when asked for. */
  readonly large?: true;
  /** Whether it runs with `--cluster` too, or only there. Limits are for one process, but for those of a cluster's own rows. */
  readonly cluster?: 'too' | 'only';
  /** One of the ten rows that BENCHMARKS.md shows, or of a cluster's own rows there. */
  readonly onPage?: true;
  /** Searches deals, which a stand-in for MongoDB reads one by one. */
  readonly search?: true;
}

const RATIO = { unit: 'ratio', better: 'higher' } as const;
const TIMES = { unit: 'times', better: 'lower' } as const;
const POST = { ...RATIO, against: 'bare POST', cluster: 'too' } as const;
const GET = { ...RATIO, against: 'bare GET', cluster: 'too' } as const;
const LIST = { ...RATIO, against: 'a server that sends the same list as a string', cluster: 'too' } as const;
const SEARCH = { ...LIST, search: true } as const;

/**
 * Every row of the benchmark, in the order in which they run: rows that use one service follow each other, and rows that leave
 * holds come last, because these would run out under the next rows.
 */
export const ROWS = {
  'ceiling-small': {
    title: 'the load generator alone: short answers',
    unit: 'per second',
    better: 'higher',
  },
  'ceiling-list': {
    title: 'the load generator alone: lists',
    unit: 'per second',
    better: 'higher',
  },
  append: {
    ...RATIO,
    title: 'append through the engine, batches of 64, no HTTP, by CPU',
    against: 'bare node:sqlite',
    limit: 0.7,
    goal: 0.85,
  },
  'start-cpu': {
    title: 'CPU of one start',
    unit: 's',
    better: 'lower',
    limit: 0.8,
    goal: 0.4,
  },
  memory: {
    title: 'memory at rest',
    unit: 'MB',
    better: 'lower',
    limit: 200,
    goal: 150,
    cluster: 'too',
  },
  'stored-card': {
    ...POST,
    title: 'purchase with stored card and sandbox gateway',
    onPage: true,
    limit: 0.15,
    goal: 0.25,
  },
  full: { ...POST, title: 'full purchase', limit: 0.1, goal: 0.15 },
  claim: { ...POST, title: 'reserve then claim with coupons, per pair', onPage: true, limit: 0.2, goal: 0.3 },
  redeem: { ...POST, title: 'redeem, different coupons', onPage: true, limit: 0.35, goal: 0.5 },
  refund: {
    title: 'a refund of 1000 coupons',
    unit: 's',
    better: 'lower',
    limit: 1,
    goal: 0.3,
    cluster: 'too',
  },
  reserve: { ...POST, title: 'reserve, one hot deal', onPage: true, limit: 0.5, goal: 0.7 },
  'reserve-1000': { ...POST, title: 'reserve, 1000 deals', limit: 0.35, goal: 0.5 },
  'reserve-cpu': {
    ...TIMES,
    title: 'CPU of our own processes per reserve, one hot deal',
    onPage: true,
    against: 'one process on the embedded engines',
    limit: 2,
    cluster: 'only',
  },
  'reserve-traced': {
    ...RATIO,
    title: 'reserve with all traces, by CPU',
    against: 'the same without traces',
    limit: 0.85,
  },
  'reserve-measured': {
    ...RATIO,
    title: 'reserve with metrics, by CPU',
    against: 'the same without metrics',
    limit: 0.98,
  },
  'beside-claims': {
    ...TIMES,
    title: 'reserve p99 while somebody claims 1000 units at a time of another deal',
    against: 'its p99 alone',
    cluster: 'too',
  },
  expiry: { ...TIMES, title: 'reserve p99 while 10 000 holds of one second expire', against: 'its p99 alone' },
  'get-purchase': { ...GET, title: 'GET purchase', limit: 0.6, goal: 0.85 },
  'get-deal': { ...GET, title: 'GET deal', onPage: true, limit: 0.6, goal: 0.85 },
  'v1-region': { ...SEARCH, title: 'v1 list of 100 of 100 000 deals, by region', onPage: true, limit: 0.5, goal: 1 },
  'v1-price': { ...SEARCH, title: 'v1 list of 100 of 100 000 deals, by price', limit: 0.5, goal: 1 },
  'v1-place': { ...SEARCH, title: 'v1 list of 100 of 100 000 deals, by place', limit: 0.5, goal: 1 },
  'v3-region': { ...SEARCH, title: 'v3 list of the same (8 fields), by region', limit: 0.5, goal: 1 },
  'v3-price': { ...SEARCH, title: 'v3 list of the same (8 fields), by price', limit: 0.5, goal: 1 },
  'v3-place': { ...SEARCH, title: 'v3 list of the same (8 fields), by place', limit: 0.5, goal: 1 },
  purchases: { ...LIST, title: 'user’s purchases (page of 100)', limit: 0.5, goal: 0.8 },
  coupons: { ...LIST, title: 'user’s coupons (page of 100)', onPage: true, limit: 0.5, goal: 0.8 },
  spread: { ...TIMES, title: 'p99 of a list at 64 connections', against: 'its p50', limit: 3, goal: 2 },
  beside: {
    ...TIMES,
    title: 'reserve p99 while lists and a rebuild run',
    onPage: true,
    against: 'its p99 alone',
    limit: 3,
    goal: 1.5,
  },
  start: {
    title: 'start to ready at 1 000 000 events',
    onPage: true,
    unit: 's',
    better: 'lower',
    limit: 2,
    goal: 0.5,
    large: true,
  },
  rebuild: {
    ...RATIO,
    title: 'rebuild of deals and purchases from 1 000 000 events',
    onPage: true,
    against: 'bare scan and parse',
    limit: 0.25,
    goal: 0.5,
    large: true,
  },
  'rebuild-each': {
    ...RATIO,
    title: 'rebuild of one view from 1 000 000 events',
    against: 'bare scan and parse',
    large: true,
  },
  'named-lists': {
    ...TIMES,
    title: 'a list of the named set: 1 000 000 deals of one region',
    against: '10 000 deals',
    limit: 1.5,
    goal: 1.1,
    large: true,
  },
  growth: {
    ...RATIO,
    title: 'with 1 000 000 purchases',
    against: 'the same row with 10 000 purchases',
    large: true,
  },
  'memory-large': {
    title: 'memory at 100 000 deals and 1 000 000 purchases',
    unit: 'MB',
    better: 'lower',
    large: true,
  },
} as const satisfies Readonly<Record<string, RowSpec>>;

export type RowId = keyof typeof ROWS;

export const ROW_IDS = Object.keys(ROWS) as RowId[];

/** A row's entry, with every field that an entry may have. */
export function specOf(row: RowId): RowSpec {
  return ROWS[row];
}
