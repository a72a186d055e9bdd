import { expect } from '@jest/globals';
import type { RunningService } from '../../support/running-service.js';
import { workDone } from '../../support/work-done.js';
import { cpuOf, tellsCpu } from '../cost/cpu.js';
import { type Figures, middle } from './figures.js';

/** A start after a `kill -9`. */
export interface Restart {
  /** Milliseconds from the start of the process until it is ready. */
  readonly ready: number;
  /** Milliseconds of the first reserve of each of these deals after that, in turn. */
  readonly first: readonly number[];
  /** Milliseconds of CPU of the process until it is ready, and during the first of these reserves. */
  readonly cpu: { readonly ready: number; readonly first: number };
}

/** Starts a service for the restarts to measure. */
export type Start = () => Promise<RunningService>;

/**
 * Sells, stops in order, and then kills the service, starts it again, and reserves; several times.
 * @param patience milliseconds for its work before the first kill
 */
export async function restarts(
  start: Start,
  options: {
    readonly key: string;
    readonly deals: readonly string[];
    readonly times: number;
    readonly patience: number;
  },
): Promise<readonly Restart[]> {
  const { key, deals, times, patience } = options;
  const found: Restart[] = [];
  let service = await start();
  await workDone(service, patience);
  for (const deal of deals) await timedReserve(service, key, deal);
  // A stop keeps what the service knows of the deals; a service that has sold for a while has done so long ago.
  await workDone(service, patience);
  await service.stop();
  service = await start();
  for (let nth = 0; nth < times; nth += 1) {
    await workDone(service, patience);
    await service.kill();
    const began = performance.now();
    service = await start();
    const ready = performance.now() - began;
    const cpu: number[] = [cpuUsed(service)];
    const first: number[] = [];
    for (const deal of deals) {
      first.push(await timedReserve(service, key, deal));
      cpu.push(cpuUsed(service));
    }
    const [before = 0, after = 0] = cpu;
    found.push({ ready, first, cpu: { ready: before, first: after - before } });
  }
  await service.stop();
  return found;
}

/** Milliseconds of CPU that the process has used so far; 0 where the system does not tell them. */
function cpuUsed({ child: { pid } }: RunningService): number {
  return tellsCpu && pid !== undefined ? cpuOf(pid) : 0;
}

/** Reserves a unit. @returns milliseconds; a 503 is asked again, and its time counts */
async function timedReserve(service: RunningService, key: string, deal: string): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { status } = await service.ask('POST', '/purchases/reserve', { key, body: { deal_id: deal, num_bought: 1 } });
    if (status !== 503) expect(status).toBe(200);
    if (status === 200) return performance.now() - began;
  }
}

/**
 * Adds the first reserve after a restart to the figures, in the middle of all, and the start.
 * @param limits of that reserve, in milliseconds
 */
export function addRestarts(
  figures: Figures,
  name: string,
  found: readonly Restart[],
  limits: { readonly ceiling: number; readonly goal: number },
): void {
  const of = (figure: (each: Restart) => number | undefined): number =>
    middle(found.map((each) => figure(each) ?? NaN));
  figures.add({
    ...{ name: `${name}: first reserve after ready`, unit: 'ms', ...limits },
    ...{ value: of(({ first }) => first[0]), cpu: of(({ cpu }) => cpu.first) },
  });
  figures.add({
    ...{ name: `${name}: start to ready`, unit: 's', ceiling: 1.5, goal: 0.7 },
    ...{ value: of(({ ready }) => ready / 1_000), cpu: of(({ cpu }) => cpu.ready) },
  });
}
