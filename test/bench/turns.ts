import { setTimeout as pause } from 'node:timers/promises';
import type { LoadGenerator } from './load/load-generator.js';
import type { LoadResult, Visit } from './load/visit.js';
import { median, spreadOf, type Spread } from './measure/median.js';
import { cpuTimeOf, cpuTimes, threadTimesOf, untilIdle } from './measure/process-use.js';
import type { Side } from './result.js';
import type { Server } from './servers/server.js';

/** Threads with less than this are not shown, in microseconds per request. */
const LEAST = 0.5;
/** Milliseconds of looking what a server uses without requests. */
const LOOK_FOR = 1_000;

/** A server, and what it is asked. */
export interface Contender {
  readonly name: string;
  readonly server: Server;
  /** Called before each turn: some requests succeed only once. */
  visit(): Visit | Promise<Visit>;
}

/** One turn of one server. */
export interface Turn extends LoadResult {
  readonly rate: number;
  /** Microseconds of processor time per request of the server; undefined where the system does not report it. */
  readonly serverCpu: number | undefined;
  /** Microseconds per second that it used right after the turn, without requests: `serverCpu` is without them. */
  readonly background: number;
  readonly threads: ReadonlyMap<string, number>;
  /** The same of the servers that it uses. */
  readonly uses: ReadonlyMap<string, number>;
}

export interface TurnOptions {
  readonly load: LoadGenerator;
  readonly seconds: number;
  readonly connections: number;
}

/** Processor time of a server and of what works for it. */
function timeOf(server: Server): number | undefined {
  const own = cpuTimeOf(server.processes);
  return own === undefined ? undefined : own + (server.besides?.() ?? 0);
}

/** Loads a server for one turn. What it still does after the last answer counts too. */
export async function runTurn({ server, visit }: Contender, { load, ...length }: TurnOptions): Promise<Turn> {
  const { processes, uses = [], ports } = server;
  const given = visit();
  const asked = await given;
  // Preparing a visit is work that the turn before has not waited for.
  if (given instanceof Promise) await untilDone(server);
  const [before, threadsBefore, usesBefore] = [timeOf(server), threadTimesOf(processes), cpuTimes(uses)];
  const began = performance.now();
  const result = await load.run({ ports, visit: asked, ...length });
  await untilDone(server);
  const [after, threadsAfter, usesAfter] = [timeOf(server), threadTimesOf(processes), cpuTimes(uses)];
  const seconds = (performance.now() - began) / 1_000;
  const background = await backgroundOf(server);
  const each = (microseconds: number): number => microseconds / result.requests;
  const since = (times: ReadonlyMap<string, number>, earlier: ReadonlyMap<string, number>) =>
    new Map(
      [...times]
        .map(([name, time]) => [name, each(time - (earlier.get(name) ?? 0))] as const)
        .filter(([, time]) => time >= LEAST),
    );
  return {
    ...uncounted(result),
    serverCpu: before === undefined || after === undefined ? undefined : each(after - before - background * seconds),
    background,
    threads: since(threadsAfter, threadsBefore),
    uses: since(usesAfter, usesBefore),
  };
}

/** A turn of which nobody has counted the processor time. */
export function uncounted(result: LoadResult): Turn {
  const none = new Map<string, number>();
  const rate = result.requests / result.seconds;
  return { ...result, rate, serverCpu: undefined, background: 0, threads: none, uses: none };
}

/** Microseconds per second that a server uses now; 0 for one that does nothing without requests. */
async function backgroundOf(server: Server): Promise<number> {
  if (server.done === undefined) return 0;
  const [before, began] = [timeOf(server), performance.now()];
  await pause(LOOK_FOR);
  const [after, seconds] = [timeOf(server), (performance.now() - began) / 1_000];
  return before === undefined || after === undefined ? 0 : (after - before) / seconds;
}

async function untilDone(server: Server): Promise<void> {
  if (server.done === undefined) await untilIdle(() => timeOf(server));
  else await server.done();
}

/** The turns of several servers: after warming up, they take turns. */
export async function takeTurns(
  contenders: readonly Contender[],
  options: TurnOptions & {
    readonly turns: number;
    readonly warmUps: number;
    readonly progress: (line: string) => void;
  },
): Promise<readonly (readonly Turn[])[]> {
  const taken: Turn[][] = contenders.map(() => []);
  for (let turn = 1 - options.warmUps; turn <= options.turns; turn += 1) {
    const rates: string[] = [];
    for (const [index, contender] of contenders.entries()) {
      const done = await runTurn(contender, options);
      if (turn > 0) taken[index]?.push(done);
      rates.push(`${contender.name} ${done.rate.toFixed(0)}/s`);
    }
    options.progress(`${turn > 0 ? `turn ${turn} of ${options.turns}` : 'warming up'}: ${rates.join(', ')}`);
  }
  return taken;
}

/** What a server did in its turns. */
export function sideOf(name: string, turns: readonly Turn[]): Side {
  const over = (of: (turn: Turn) => number): number => median(turns.map(of));
  const overNames = (of: (turn: Turn) => ReadonlyMap<string, number>): Readonly<Record<string, number>> => {
    const names = new Set(turns.flatMap((turn) => [...of(turn).keys()]));
    return Object.fromEntries([...names].map((name) => [name, over((turn) => of(turn).get(name) ?? 0)]));
  };
  return {
    name,
    rate: over(({ rate }) => rate),
    p50: over(({ p50 }) => p50),
    p99: over(({ p99 }) => p99),
    cpu: turns.some(({ serverCpu }) => serverCpu === undefined) ? null : over(({ serverCpu }) => serverCpu ?? NaN),
    ...(turns.some(({ background }) => background > 0) ? { background: over(({ background }) => background) } : {}),
    threads: overNames(({ threads }) => threads),
    uses: overNames(({ uses }) => uses),
    load: over(({ cpu }) => cpu),
  };
}

/** The ratio of two servers, turn by turn. */
export function ratioOf(ours: readonly Turn[], theirs: readonly Turn[], of: (turn: Turn) => number): Spread {
  return spreadOf(ours.map((turn, index) => of(turn) / of(theirs[index] ?? turn)));
}
