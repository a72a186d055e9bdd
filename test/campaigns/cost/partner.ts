import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DocumentedService } from '../../support/documented-service.js';
import type { AskOptions } from '../../support/running-service.js';

const ATTACKERS = fileURLToPath(new URL('./attackers.child.js', import.meta.url));
const CONNECTIONS = 50;

/** What an honest partner waits for a hold, in milliseconds. */
export interface Waits {
  readonly p50: number;
  readonly p99: number;
}

/** Reserves so many times, one after the other. */
export async function reserving({ service, world }: DocumentedService, count: number): Promise<Waits> {
  const waits: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    const body = { deal_id: 'lunch', num_bought: 1 };
    const { status } = await service.ask('POST', '/purchases/reserve', { key: world.acme.key, body });
    if (status !== 200) throw new Error(`an honest hold was answered with ${status}`);
    waits.push(performance.now() - begun);
  }
  waits.sort((a, b) => a - b);
  const at = (share: number): number => waits[Math.floor(share * (waits.length - 1))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/**
 * Does something while 50 connections send these requests.
 * @param perSecond all of them together; 0 is as fast as they are answered
 * @returns what it gives, and how many they sent a second
 */
export async function underAttack<T>(
  { service }: DocumentedService,
  requests: readonly Buffer[],
  perSecond: number,
  work: () => Promise<T>,
): Promise<readonly [T, number]> {
  const { port } = new URL(service.url);
  const child = spawn(process.execPath, [ATTACKERS, port, String(CONNECTIONS), String(perSecond)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  child.stdin.end(requests.map((request) => request.toString('base64')).join('\n'));
  await once(child.stdout, 'data');
  const begun = performance.now();
  try {
    const done = await work();
    const seconds = (performance.now() - begun) / 1000;
    child.kill('SIGTERM');
    await once(child, 'close');
    return [done, Number(said.split('\n')[1]) / seconds];
  } finally {
    child.kill('SIGKILL');
  }
}

/** A request as its bytes, on a connection that ends with it. */
export function bytesOf(method: string, path: string, { key, body, headers = {} }: AskOptions): Buffer {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const lines = Object.entries({
    host: 'x',
    connection: 'close',
    ...(key !== undefined && { 'x-api-key': key }),
    ...(text !== '' && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  });
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, is]) => `${name}: ${is}\r\n`).join('')}\r\n${text}`,
  );
}
