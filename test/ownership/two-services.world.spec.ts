import { afterAll, describe, expect, it } from '@jest/globals';
import { describeAlone, itInFull } from '../support/alone.js';
import { sharedEngines } from '../support/cluster.js';
import { copyOf } from '../support/data-folder.js';
import { databaseUrl } from '../support/mongodb/database-url.js';
import { openShop, reserve, ServicesOnServer } from '../support/own-server.js';
import { Program } from '../support/program.js';
import { discardLeftovers, newDataDir, type Json } from '../support/running-service.js';
import { SharedServers } from '../support/shared-servers.js';

const START_WITHIN = 240_000;
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

describeAlone('two processes of one installation on a log', () => {
  const on = ServicesOnServer.forEachTest();

  it('a restart on the same folder after kill -9 is ready at once', async () => {
    const first = await on.ready();
    const partner = await openShop(first);
    await first.kill();
    const next = await on.ready({ LOG_LEVEL: 'info' });
    expect(next.printed).not.toContain('waits up to');
    expect(await reserve(next, partner)).toBe(200);
  });

  it('a start on a copy of the folder is refused by name while the other process runs', async () => {
    const first = await on.ready();
    const partner = await openShop(first);
    const copy = copyOf(on.dataDir);
    await expect(on.start({}, copy)).rejects.toThrow(
      new RegExp(
        `another Holdfast of this installation runs on the event log \\(a whole service on .* ${on.dataDir}, process`,
      ),
    );
    expect(await reserve(first, partner)).toBe(200);
    await first.stop();
    expect(await reserve(await on.ready({}, copy), partner)).toBe(200);
  });

  it('a process frozen beyond its lease decides nothing once another one has the lease', async () => {
    const first = await on.ready();
    const partner = await openShop(first);
    const copy = copyOf(on.dataDir);
    first.child.kill('SIGSTOP');
    const second = await on.ready({ LOG_LEVEL: 'info' }, copy);
    await second.prints('waits up to 15 s');
    first.child.kill('SIGCONT');
    expect(await reserve(first, partner)).toBe(503);
    const health: Json = await first.health();
    expect([health.status, health.body.findings[0].message]).toEqual([
      503,
      expect.stringContaining('has taken over the event log (a whole service on'),
    ]);
    expect(await reserve(second, partner)).toBe(200);
  });

  itInFull(
    'a process whose connection broke decides nothing over the next one if another process has the lease',
    async () => {
      const first = await on.ready();
      const partner = await openShop(first);
      const { control } = on.server;
      const holder = { mode: 'alone', place: 'elsewhere', process: 'another', words: 'the one elsewhere' };
      await control.append('$$holdfast_holdfast_lease', [{ type: '$metadata', data: { holder, marked: '0' } }]);
      await control.stop();
      await control.start();
      const statuses: number[] = [];
      let findings: Json[] = [];
      while (findings.length === 0) {
        statuses.push(await reserve(first, partner));
        findings = (await first.health()).body.findings;
      }
      expect(findings[0].message).toContain('has taken over the event log (the one elsewhere)');
      expect(statuses).not.toContain(200);
    },
  );

  itInFull('the service survives an outage of the server that is longer than the lease', async () => {
    const service = await on.ready();
    const partner = await openShop(service);
    await on.server.restart(() => pause(16_000));
    let status = 0;
    for (let tries = 0; status !== 200 && tries < 2_400; tries += 1) {
      status = await reserve(service, partner);
      if (status !== 200) await pause(100);
    }
    expect(status).toBe(200);
  });
});

// Outside the test: on a new machine, a stand-in for MongoDB is built first.
const shared = sharedEngines() === undefined ? await SharedServers.start() : undefined;

describe('a whole service beside an API and a worker', () => {
  const programs: Program[] = [];
  afterAll(async () => {
    for (const program of programs) await program.end('SIGKILL');
    await shared?.stop();
    await discardLeftovers();
  });

  it('neither starts while the other runs, and each error names the other', async () => {
    if (shared === undefined) return;
    const run = (main: string, env: Readonly<Record<string, string>>): Program => {
      const program = Program.startInHost(main, env);
      programs.push(program);
      return program;
    };
    const gateway = run('apps/sandbox-gateway/main.js', { PORT: '0', DATA_DIR: newDataDir() });
    const env = {
      EVENTSTORE_URL: shared.eventStoreUrl,
      MONGODB_URL: databaseUrl({ url: shared.mongoUrl }, 'beside'),
      MASTER_KEY: '7'.repeat(64),
      SANDBOX_GATEWAY_URL: await gateway.waitFor(/listens at (\S+)\. /, START_WITHIN),
      PORT: '0',
      DEMO: 'false',
    };
    const beside = { ...env, REDIS_URL: shared.redisUrl, PUBLIC_URL: 'http://127.0.0.1:3000' };
    const worker = run('apps/worker/main.js', { ...beside, DATA_DIR: newDataDir() });
    const api = run('apps/api/main.js', { ...beside, DATA_DIR: newDataDir() });
    await api.waitFor(/ready at (\S+)/, START_WITHIN);
    await worker.waitFor(/ready at (\S+)/, START_WITHIN);

    const whole = run('apps/api/main.js', { ...env, DATA_DIR: newDataDir() });
    await whole.ended();
    expect(whole.printed).toMatch(
      /another Holdfast of this installation runs on the event log \((an API|a worker) on /,
    );
    expect([api.running, worker.running]).toEqual([true, true]);

    for (const program of [api, worker]) await program.end('SIGTERM');
    const taken = run('apps/api/main.js', { ...env, DATA_DIR: newDataDir() });
    await taken.waitFor(/ready at (\S+)/, START_WITHIN);
    const late = run('apps/api/main.js', { ...beside, DATA_DIR: newDataDir() });
    await late.ended();
    expect(late.printed).toContain('(a whole service on ');
  });
});
