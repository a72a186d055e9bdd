import type { LoadResult } from './load.js';
import { cpuTime, median, syncTime, untilIdle } from './measure.js';
import type { LoadGenerator, Server } from './processes.js';
import type { Measured } from './report.js';
import type { Row } from './rows.js';

/** Turns before the first that counts. With fewer, the first counted turns are still slow, and more so for the larger program. */
const WARMING_UP = 2;

/** Beside lists: so few connections that both servers suffer equally. */
const SALES = { connections: 2 };

export interface TurnOptions {
  readonly turns: number;
  /** Of one turn. */
  readonly seconds: number;
  readonly connections: number;
  /** The folder of the log: its disk's sync time is measured. */
  readonly folder: string;
  readonly progress: (line: string) => void;
}

interface Turn extends LoadResult {
  readonly rate: number;
  /** Microseconds per request; undefined where the system does not report it. */
  readonly cpu: number | undefined;
}

/** Measures one row: after warming up, the bare server and Holdfast take turns. */
export async function measure(
  row: Row,
  generators: { readonly load: LoadGenerator; readonly beside: LoadGenerator },
  servers: { readonly bare: Server; readonly holdfast: Server },
  options: TurnOptions,
): Promise<Measured> {
  const { turns, seconds, connections, folder, progress } = options;
  const turnOf = async ({ pid, port }: Server, length: number): Promise<Turn> => {
    const before = cpuTime(pid);
    const { load, beside } = generators;
    const sales =
      row.beside && beside.run({ ...SALES, port: servers.holdfast.port, seconds: length, visit: row.beside });
    const result = await load.run({ port, connections, seconds: length, visit: row.visit });
    await sales;
    await untilIdle(pid);
    const after = cpuTime(pid);
    const cpu = before === undefined || after === undefined ? undefined : (after - before) / result.requests;
    return { ...result, rate: result.requests / result.seconds, cpu };
  };

  progress(`${row.name}, ${connections} connections: warming up`);
  for (let turn = 0; turn < WARMING_UP; turn += 1) {
    await turnOf(servers.bare, seconds);
    await turnOf(servers.holdfast, seconds);
  }
  const bare: Turn[] = [];
  const ours: Turn[] = [];
  const ratios: number[] = [];
  const syncs: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    syncs.push(syncTime(folder));
    const theirs = await turnOf(servers.bare, seconds);
    const own = await turnOf(servers.holdfast, seconds);
    bare.push(theirs);
    ours.push(own);
    ratios.push(own.rate / theirs.rate);
    const rates = `${own.rate.toFixed(0)} of ${theirs.rate.toFixed(0)} req/s`;
    progress(`${row.name}, ${connections} connections: turn ${turn} of ${turns}: ${rates}`);
  }
  const over = (all: readonly Turn[], of: (turn: Turn) => number | undefined): number =>
    median(all.map((turn) => of(turn) ?? NaN));
  const cpuOf = (all: readonly Turn[]): number | null =>
    all.some(({ cpu }) => cpu === undefined) ? null : over(all, ({ cpu }) => cpu);
  return {
    row: row.name,
    connections,
    holdfast: over(ours, ({ rate }) => rate),
    bare: over(bare, ({ rate }) => rate),
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    p50: over(ours, ({ p50 }) => p50),
    p99: over(ours, ({ p99 }) => p99),
    bareP50: over(bare, ({ p50 }) => p50),
    bareP99: over(bare, ({ p99 }) => p99),
    cpu: cpuOf(ours),
    bareCpu: cpuOf(bare),
    sync: median(syncs),
  };
}
