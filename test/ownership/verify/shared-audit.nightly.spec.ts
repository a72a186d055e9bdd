import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { buy } from '../../support/buying.js';
import { shareEngines } from '../../support/cluster.js';
import { discardLeftovers, newDataDir, RunningService, type TestPartner } from '../../support/running-service.js';
import { SharedServers } from '../../support/shared-servers.js';

/** Milliseconds: other processes look once a minute what the one that audits has noted. */
const LONG = 600_000;

const servers = await SharedServers.start();

(servers === undefined ? describe.skip : describe)(`G7.4: the self-audit of two workers, on ${servers?.what}`, () => {
  const dataDir = newDataDir();
  let service: RunningService;
  let acme: TestPartner;
  let user: string;

  const start = async (): Promise<void> => {
    service = await RunningService.start({ dataDir, env: { SELF_AUDIT: 'at-once' } });
  };

  beforeAll(async () => {
    if (servers !== undefined) shareEngines(servers);
    await start();
    acme = await service.newPartner('acme');
    user = await service.newUser(acme.key, 'ada@example.org');
    await service.newDeal('lunch', { stock: 1_000, max_per_user: null });
  }, LONG);
  afterEach(async () => {
    await service.kill();
    await start();
  });
  afterAll(async () => {
    await service.kill();
    await discardLeftovers();
    await servers?.stop();
  });

  /** When the last whole pass ended that has checked at least so many events, as the first API knows it. */
  const passed = async (least: number): Promise<number> => {
    for (;;) {
      const { audit } = (await service.health({ at: service.urls[0] ?? '' })).body;
      if (typeof audit?.last_ended === 'string' && audit.events >= least) {
        expect(audit.findings).toEqual([]);
        return audit.events as number;
      }
      await pause(1_000);
    }
  };

  // One of the two has the lease.
  it.each([0, 1])(
    'goes on when worker %i is killed, and every process shows what it has found',
    async (nth) => {
      const before = await passed(1);
      await service.processes.workers[nth]?.end('SIGKILL');
      for (let sales = 0; sales < 5; sales += 1) await buy(service, acme.key, 'lunch', user, 1);
      expect(await passed(before + 10)).toBeGreaterThan(before);
    },
    LONG,
  );
});
