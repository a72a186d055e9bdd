import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../../support/program.js';
import { RunningService } from '../../support/running-service.js';
import type { SharedServers } from '../../support/shared-servers.js';
import { ofOneProcess, type Server } from './server.js';

/** The real service, as a user starts it: with the default settings, but for the demo. */
export interface Holdfast extends Server {
  readonly service: RunningService;
  /** Where the threads' profiles of each process can be had; only with `inspected`. */
  readonly inspectors: readonly string[];
  stop(): Promise<void>;
}

/** Servers that the service runs on instead of the embedded engines, and how many of its processes answer; one worker runs. */
export interface Cluster {
  readonly servers: SharedServers;
  readonly apis: number;
}

/** The environment of every service under measurement. */
export const DEFAULTS = { DEMO: 'false', TEST_CLOCK: 'false', SELF_AUDIT: 'off' } as const;

/** Milliseconds between two looks whether the views have followed, and how long they may take: a stand-in is slow. */
const LOOK_EVERY = 250;
const FOLLOWED_WITHIN = 180_000;

/**
 * Starts the service on a data folder and waits until it is ready.
 * @param logs the folder for its request log: a file, as an operator would have
 * @param inspected with Node's inspector, for profiles
 * @param unready wait only until it listens: it may have to build its views first
 * @param cluster what it runs on; undefined: one process on the embedded engines
 * @param root the checkout whose service it is; by default this one
 */
export async function startHoldfast(
  dataDir: string,
  logs: string,
  {
    inspected = false,
    unready = false,
    env = {},
    cluster,
    root,
  }: {
    readonly inspected?: boolean;
    readonly unready?: boolean;
    readonly env?: Readonly<Record<string, string>>;
    readonly cluster?: Cluster | undefined;
    readonly root?: string;
  } = {},
): Promise<Holdfast> {
  const file = join(logs, `holdfast-${Date.now()}.log`);
  const log = openSync(file, 'a');
  const node: Readonly<Record<string, string>> = inspected ? { NODE_OPTIONS: '--inspect=127.0.0.1:0' } : {};
  // The bench would otherwise read every line, and so compete with the service.
  const started = { dataDir, unready, log, env: { ...DEFAULTS, ...env, ...node }, ...(root !== undefined && { root }) };
  const service = await RunningService.start({
    ...started,
    ...(cluster && { engines: cluster.servers, apis: cluster.apis, workers: 1 }),
  });
  closeSync(log);
  const debuggers = inspected ? readFileSync(file, 'utf8').matchAll(/Debugger listening on (ws:\S+)/g) : [];
  return {
    service,
    inspectors: [...debuggers].map(([, url = '']) => url),
    ...(cluster === undefined
      ? ofOneProcess(service.child.pid ?? 0, portOf(service.url))
      : asCluster(service, cluster)),
    stop: () => service.stop(),
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function asCluster(service: RunningService, { servers }: Cluster): Server {
  const { apis, workers, others } = service.processes;
  const named = (name: string) => (program: Program) => ({ name, pid: program.child.pid ?? 0 });
  return {
    processes: [...apis.map(named('API')), ...workers.map(named('worker')), ...others.map(named('gateway'))],
    uses: Object.entries(servers.pids).map(([name, pid]) => ({ name, pid })),
    ports: service.urls.map(portOf),
    done: () => viewsFollowed(service),
  };
}

/** Waits until every view has seen what the log has. A worker that waits for a slow server looks idle. */
async function viewsFollowed(service: RunningService): Promise<void> {
  const deadline = performance.now() + FOLLOWED_WITHIN;
  for (;;) {
    const { body } = await service.health();
    const lags = (body?.views as { readonly lag: number }[] | undefined)?.map(({ lag }) => lag) ?? [Infinity];
    if (lags.every((lag) => lag === 0)) return;
    if (performance.now() > deadline) throw new Error(`the views are ${Math.max(...lags)} behind the log`);
    await pause(LOOK_EVERY);
  }
}
