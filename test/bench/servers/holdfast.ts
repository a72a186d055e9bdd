import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunningService } from '../../support/running-service.js';
import type { Server } from './server.js';

/** The real service, as a user starts it: the embedded engines and the default settings, but for the demo. */
export interface Holdfast extends Server {
  readonly service: RunningService;
  /** Where the threads' profiles can be had; only with `inspected`. */
  readonly inspector: string | undefined;
  stop(): Promise<void>;
}

/** The environment of every service under measurement. */
export const DEFAULTS = { DEMO: 'false', TEST_CLOCK: 'false' } as const;

/**
 * Starts the service on a data folder and waits until it is ready.
 * @param logs the folder for its request log: a file, as an operator would have
 * @param inspected with Node's inspector, for profiles
 * @param unready wait only until it listens: it may have to build its views first
 */
export async function startHoldfast(
  dataDir: string,
  logs: string,
  {
    inspected = false,
    unready = false,
    env = {},
  }: {
    readonly inspected?: boolean;
    readonly unready?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Holdfast> {
  const file = join(logs, `holdfast-${Date.now()}.log`);
  const log = openSync(file, 'a');
  const node: Readonly<Record<string, string>> = inspected ? { NODE_OPTIONS: '--inspect=127.0.0.1:0' } : {};
  // The bench would otherwise read every line, and so compete with the service.
  const service = await RunningService.start({ dataDir, unready, log, env: { ...DEFAULTS, ...env, ...node } });
  closeSync(log);
  const inspector = /Debugger listening on (ws:\S+)/.exec(inspected ? readFileSync(file, 'utf8') : '')?.[1];
  return {
    service,
    inspector,
    pid: service.child.pid ?? 0,
    port: Number(new URL(service.url).port),
    stop: () => service.stop(),
  };
}
