import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { sharedEngines } from '../support/cluster.js';
import { databaseUrl } from '../support/mongodb/mongodb-server.js';
import { Program } from '../support/program.js';
import { RunningDouble } from '../support/running-double.js';
import {
  discardLeftovers,
  newDataDir,
  RunningService,
  type Json,
  type TestPartner,
} from '../support/running-service.js';
import { SharedServers } from '../support/shared-servers.js';
import { tempFolder } from '../support/temp-folder.js';

const START_WITHIN = 60_000;
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

describeAlone('two processes of one installation on a log', () => {
  const folder = tempFolder();
  const file = join(folder.path, 'server');
  let double: RunningDouble;
  let dataDir: string;
  const services: RunningService[] = [];

  beforeEach(async () => {
    rmSync(file, { force: true });
    double = await RunningDouble.start('--port=0', `--file=${file}`);
    dataDir = newDataDir();
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.kill();
    await double.kill();
  });
  afterAll(async () => {
    await discardLeftovers();
    folder.remove();
  });

  const start = async (of: string): Promise<RunningService> => {
    const service = await RunningService.start({ dataDir: of, env: { EVENTSTORE_URL: double.url }, unready: true });
    services.push(service);
    return service;
  };
  const ready = async (of: string): Promise<RunningService> => {
    const service = await start(of);
    await service.ready();
    return service;
  };
  const copied = (of: string): string => {
    const copy = newDataDir();
    cpSync(of, copy, { recursive: true });
    return copy;
  };
  const shop = async (service: RunningService): Promise<TestPartner> => {
    await service.newDeal('tram', { stock: 100 });
    return service.newPartner('acme');
  };
  const reserve = async (service: RunningService, { key }: TestPartner): Promise<number> =>
    (await service.ask('POST', '/purchases/reserve?deal_id=tram&num_bought=1', { key })).status;

  it('a restart on the same folder after kill -9 is ready at once', async () => {
    const first = await ready(dataDir);
    const partner = await shop(first);
    await first.kill();
    const next = await ready(dataDir);
    expect(next.printed).not.toContain('waits up to');
    expect(await reserve(next, partner)).toBe(200);
  }, 60_000);

  it('a copy of the folder is refused by name while the other lives', async () => {
    const first = await ready(dataDir);
    const partner = await shop(first);
    const copy = copied(dataDir);
    await expect(start(copy)).rejects.toThrow(
      new RegExp(
        `another Holdfast of this installation runs on the event log \\(a whole service on .* ${dataDir}, process`,
      ),
    );
    expect(await reserve(first, partner)).toBe(200);
    await first.stop();
    expect(await reserve(await ready(copy), partner)).toBe(200);
  }, 90_000);

  it('one that was stopped beyond its lease decides nothing once another has it', async () => {
    const first = await ready(dataDir);
    const partner = await shop(first);
    const copy = copied(dataDir);
    first.child.kill('SIGSTOP');
    const second = await ready(copy);
    expect(second.printed).toContain('waits up to 15 s');
    first.child.kill('SIGCONT');
    expect(await reserve(first, partner)).toBe(503);
    const health: Json = await first.ask('GET', '/health/ready');
    expect([health.status, health.body.findings[0].words]).toEqual([
      503,
      expect.stringContaining('has taken the event log over (a whole service on'),
    ]);
    expect(await reserve(second, partner)).toBe(200);
  }, 120_000);

  it('an outage of the server that is longer than the lease ends nobody', async () => {
    const service = await ready(dataDir);
    const partner = await shop(service);
    const port = new URL(double.url.replace('esdb', 'http')).port;
    await double.kill();
    await pause(16_000);
    double = await RunningDouble.start(`--port=${port}`, `--file=${file}`);
    let status = 0;
    for (let tries = 0; status !== 200 && tries < 100; tries += 1) {
      status = await reserve(service, partner);
      if (status !== 200) await pause(100);
    }
    expect(status).toBe(200);
  }, 90_000);
});

describe('a whole service beside an API and a worker', () => {
  let shared: SharedServers | undefined;
  const programs: Program[] = [];
  afterAll(async () => {
    for (const program of programs) await program.end('SIGKILL');
    await shared?.stop();
    await discardLeftovers();
  });

  it('is refused by name, and they are refused beside it', async () => {
    shared = sharedEngines() === undefined ? await SharedServers.start() : undefined;
    if (shared === undefined) return;
    const run = (main: string, env: Readonly<Record<string, string>>): Program => {
      const program = Program.start(main, env);
      programs.push(program);
      return program;
    };
    const gateway = run('apps/sandbox-gateway/main.js', { PORT: '0', DATA_DIR: newDataDir() });
    const env = {
      EVENTSTORE_URL: shared.eventStoreUrl,
      MONGODB_URL: databaseUrl({ url: shared.mongoUrl }, 'beside'),
      MASTER_KEY: '7'.repeat(64),
      SANDBOX_GATEWAY_URL: await gateway.said(/listens at (\S+)\. /, START_WITHIN),
      PORT: '0',
      DEMO: 'false',
    };
    const beside = { ...env, REDIS_URL: shared.redisUrl };
    const worker = run('apps/worker/main.js', { ...beside, DATA_DIR: newDataDir() });
    const api = run('apps/api/main.js', { ...beside, DATA_DIR: newDataDir() });
    await api.said(/ready at (\S+)/, START_WITHIN);
    await worker.said(/ready at (\S+)/, START_WITHIN);

    const whole = run('apps/api/main.js', { ...env, DATA_DIR: newDataDir() });
    await whole.ended();
    expect(whole.printed).toMatch(
      /another Holdfast of this installation runs on the event log \((an API|a worker) on /,
    );
    expect([api.running, worker.running]).toEqual([true, true]);

    for (const program of [api, worker]) await program.end('SIGTERM');
    const taken = run('apps/api/main.js', { ...env, DATA_DIR: newDataDir() });
    await taken.said(/ready at (\S+)/, START_WITHIN);
    const late = run('apps/api/main.js', { ...beside, DATA_DIR: newDataDir() });
    await late.ended();
    expect(late.printed).toContain('(a whole service on ');
  }, 180_000);
});
