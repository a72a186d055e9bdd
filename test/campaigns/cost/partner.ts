import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DocumentedService } from '../../support/documented-service.js';
import type { Bare } from './bare-request.js';

const ATTACKERS = fileURLToPath(new URL('./attackers.child.js', import.meta.url));
const CONNECTIONS = 50;
/** Milliseconds of attack before the first measurement. */
const UNTIL_STEADY = 500;

/** Milliseconds that an honest partner waits for a hold. */
export interface Waits {
  readonly p50: number;
  readonly p99: number;
}

/** Reserves this many times, one after the other. */
export async function reserving({ service, world }: DocumentedService, count: number): Promise<Waits> {
  const waits: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    const body = { deal_id: 'lunch', num_bought: 1 };
    const { status } = await service.ask('POST', '/purchases/reserve', { key: world.acme.key, body });
    if (status !== 200) throw new Error(`an honest hold was answered with ${status}`);
    waits.push(performance.now() - begun);
  }
  return { p50: share(waits, 0.5), p99: share(waits, 0.99) };
}

/** The number below which this share of the numbers lies. */
export function share(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
}

/**
 * Does something while 50 connections send these requests.
 * @param perSecond of all of them together; 0 sends as fast as they are answered
 * @returns its result, and the number of answers per second
 */
export async function underAttack<T>(
  { service }: DocumentedService,
  requests: readonly Bare[],
  perSecond: number,
  work: () => Promise<T>,
): Promise<readonly [T, number]> {
  const { port } = new URL(service.url);
  const child = spawn(process.execPath, [ATTACKERS, port, String(CONNECTIONS), String(perSecond)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stdin.end(JSON.stringify(requests));
  await once(child.stdout, 'data');
  const begun = performance.now();
  try {
    await pause(UNTIL_STEADY);
    const done = await work();
    const seconds = (performance.now() - begun) / 1000;
    child.kill('SIGTERM');
    await once(child, 'close');
    return [done, Number(output.split('\n')[1]) / seconds];
  } finally {
    child.kill('SIGKILL');
  }
}
