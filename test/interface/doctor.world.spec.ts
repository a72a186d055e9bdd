import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diagnose, describe as describeInstallation } from '#platform';
import { shareEngines, engineVariables } from '../support/cluster.js';
import { discardLeftovers, type Json, RunningService } from '../support/running-service.js';
import { SharedServers } from '../support/shared-servers.js';

const servers = await SharedServers.start();

(servers === undefined ? describe.skip : describe)('G8.2, G8.3: doctor and describe on three servers', () => {
  /** Looks again if a server had no time: a busy machine loads the doctor's libraries for as long as it waits for answers. */
  const look = async (more: Readonly<Record<string, string>> = {}): Promise<Awaited<ReturnType<typeof diagnose>>> => {
    for (let tries = 1; ; tries += 1) {
      const found = await diagnose({ ...env, ...more });
      const isLate = found.checks.some(
        ({ check, verdict, facts }) =>
          facts.includes('no answer within') || (isRunning && check === 'service' && verdict !== 'ok'),
      );
      if (tries === 10 || !isLate) return found;
    }
  };
  let isRunning = true;
  let service: RunningService;
  let env: Readonly<Record<string, string>>;
  const verdicts = async (more: Readonly<Record<string, string>> = {}): Promise<Json> =>
    Object.fromEntries((await look(more)).checks.map(({ check, verdict }) => [check, verdict]));

  beforeAll(async () => {
    if (servers === undefined) return;
    shareEngines(servers);
    service = await RunningService.start();
    await service.newPartner('acme');
    env = {
      ...engineVariables(service.dataDir, servers),
      DATA_DIR: service.dataDir,
      HOLDFAST_URL: service.url,
      SANDBOX_GATEWAY_URL: 'http://127.0.0.1:1',
      PUBLIC_URL: 'https://deals.example.com',
      TRUSTED_PROXIES: '127.0.0.1',
    };
  });
  afterAll(async () => {
    await discardLeftovers();
    await servers?.stop();
  });

  it('while it runs, the servers are ok, and a gateway that is away is wrong', async () => {
    const found = await look();
    const byName = Object.fromEntries(found.checks.map((each) => [each.check, each]));
    expect(found.verdict).toBe('wrong');
    expect(byName).toMatchObject({
      service: { verdict: 'ok' },
      'event log': { verdict: 'ok', facts: expect.stringMatching(/^EventStoreDB .* the last event \d+ \w+ ago$/) },
      MongoDB: { verdict: 'ok', facts: expect.stringContaining('format 1.0') },
      Redis: { facts: expect.stringMatching(/maxmemory-policy \w+/) },
      clocks: { verdict: 'ok', facts: expect.stringMatching(/MongoDB .* Redis /) },
      gateway: { verdict: 'wrong' },
      findings: { verdict: 'ok' },
      views: { verdict: 'ok' },
    });
    expect(found.seconds).toBeLessThan(5);
  });

  it('describes them with their versions', async () => {
    expect(await describeInstallation(env)).toMatchObject({
      role: 'api',
      formats: { build: '1.0', mongodb: '1.0' },
      engines: {
        log: { engine: 'EventStoreDB', answers: true },
        state: { engine: 'MongoDB', answers: true, version: expect.stringMatching(/^\d/) },
        timers: {
          engine: 'Redis',
          answers: true,
          version: expect.stringMatching(/^\d/),
          maxmemory_policy: 'noeviction',
        },
        gateway: { answers: false },
      },
    });
  });

  it('after it has stopped, too; and it makes nothing on a server without an installation', async () => {
    await service.stop();
    isRunning = false;
    expect(await verdicts()).toMatchObject({
      service: 'look',
      'event log': 'ok',
      MongoDB: 'ok',
      views: 'ok',
      findings: 'look',
    });
    const nobody = {
      EVENTSTORE_PREFIX: 'doctor_nobody_',
      MONGODB_URL: `${env['MONGODB_URL']?.replace(/\/[^/]*$/, '')}/doctor_nobody`,
    };
    expect((await look(nobody)).checks).toContainEqual(
      expect.objectContaining({ check: 'MongoDB', verdict: 'ok', facts: expect.stringContaining('no key store yet') }),
    );
    expect(await verdicts(nobody)).toMatchObject({ MongoDB: 'ok', 'event log': 'ok' });
  });
});
