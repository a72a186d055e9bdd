import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DocumentedService } from '../../support/documented-service.js';
import { discardLeftovers } from '../../support/running-service.js';
import { size, tell } from '../size.js';
import { bare } from './bare-request.js';
import { tellsCpu } from './cpu.js';
import { share, underAttack } from './partner.js';

/** Only on request: the result depends on the machine, and on its other work. */
const IN_FULL = process.env['COST'] !== undefined;
const SECONDS = size('SILENT', 60);
const HOLDERS = fileURLToPath(new URL('./holders.child.js', import.meta.url));
const MB = 2 ** 20;
/** Milliseconds of honest calls, on many connections, before the first attack. */
const BUSY = 15_000;

interface Attack {
  readonly connections: number;
  readonly addresses: number;
  /** That each connection sends at once. */
  readonly bytes: number;
  readonly path: string;
}

/** What callers on new connections wait, in milliseconds, and what the attack costs. */
interface Seen {
  readonly honest: readonly number[];
  readonly health: readonly number[];
  /** Calls that were not answered with 200. */
  readonly refused: number;
  /** Megabytes that the service has more than before, at most. */
  readonly memory: number;
}

(tellsCpu && IN_FULL ? describe : describe.skip)('callers beside connections that never read', () => {
  let documented: DocumentedService;

  beforeAll(async () => {
    documented = await DocumentedService.start();
    // The memory of a service that sells is the yardstick: until then Node's heap has not its usual size, whoever calls.
    const { key } = documented.world.acme;
    const holds = [bare('POST', '/purchases/reserve', { key, body: { deal_id: 'lunch', num_bought: 1 } })];
    await underAttack(documented, holds, 0, () => pause(BUSY));
    await during(documented, { connections: 100, addresses: 100, bytes: 0, path: '/openapi.json' }, 10);
  }, 120_000);

  afterAll(discardLeftovers);

  it.each([
    [1, 64],
    [100, 300],
  ])(
    'wait at most 1 s, and health checks 0.1 s, beside 10 000 of %d addresses',
    async (addresses, memory) => {
      const attack = { connections: 10_000, addresses, bytes: 0, path: '/openapi.json' };
      const seen = await during(documented, attack, SECONDS);
      show(`10 000 connections of ${addresses} addresses`, seen);
      expect(Math.max(...seen.honest)).toBeLessThanOrEqual(1_000);
      expect(share(seen.health, 0.99)).toBeLessThanOrEqual(100);
      expect(seen.memory).toBeLessThanOrEqual(memory);
      expect(seen.refused).toBe(0);
    },
    300_000,
  );

  it.each([
    [1, 20 * MB, 300],
    [50, 20 * MB, 1_000],
  ])(
    'wait little beside %d connections with %d bytes of pipelined requests each',
    async (connections, bytes, most) => {
      const seen = await during(documented, { connections, addresses: 1, bytes, path: '/health/live' }, 10);
      show(`${connections} connections with ${bytes / MB} MB of requests`, seen);
      expect(Math.max(...seen.honest, ...seen.health)).toBeLessThanOrEqual(most);
    },
    300_000,
  );
});

/** Calls on new connections while others attack. */
async function during({ service, world }: DocumentedService, attack: Attack, seconds: number): Promise<Seen> {
  const { port } = new URL(service.url);
  const before = residentOf(service.child.pid ?? 0);
  const { connections, addresses, bytes, path } = attack;
  const args = [HOLDERS, port, connections, addresses, bytes, path].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const seen = { honest: [] as number[], health: [] as number[], refused: 0, memory: 0 };
  try {
    for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
      const honest = await callOn(port, '/deals/lunch', world.acme.key);
      const health = await callOn(port, '/health/live');
      seen.honest.push(honest.milliseconds);
      seen.health.push(health.milliseconds);
      seen.refused += Number(honest.status !== 200) + Number(health.status !== 200);
      seen.memory = Math.max(seen.memory, residentOf(service.child.pid ?? 0) - before);
    }
    return seen;
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

/** Opens a connection of an address that attacks nothing, and sends one call. */
function callOn(
  port: string,
  path: string,
  key?: string,
): Promise<{ readonly milliseconds: number; readonly status: number }> {
  const begun = performance.now();
  const headers = key === undefined ? {} : { 'x-api-key': key };
  const options = { port, host: '127.0.0.1', localAddress: '127.0.0.9', path, headers, agent: false };
  return new Promise((resolve) => {
    const done = (status: number): void => resolve({ milliseconds: performance.now() - begun, status });
    const asked = request(options, (response) => {
      response.resume().once('end', () => done(response.statusCode ?? 0));
      response.once('error', () => done(0));
    });
    asked.once('error', () => done(0));
    asked.end();
  });
}

/** Megabytes of memory that a process has. */
function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

function show(what: string, { honest, health, refused, memory }: Seen): void {
  const waits = (all: readonly number[]): string =>
    [0.5, 0.99, 1].map((part) => share(all, part).toFixed(1)).join(' / ');
  tell(
    'COST',
    `${what}: ${honest.length} calls ${waits(honest)} ms, health ${waits(health)} ms (p50 / p99 / most), ${refused} refused, ${memory.toFixed(0)} MB more`,
  );
}
