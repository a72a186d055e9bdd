import { randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { shareEngines } from '../../support/cluster.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { SharedServers } from '../../support/shared-servers.js';
import { patience } from '../size.js';
import { type RotatedKey, ShopUnderRotation } from './shop-under-rotation.js';

/** Another address would be another form of answers. */
const PUBLIC_URL = 'http://shop.example';
/** Milliseconds: each step of a rotation waits 15 s, and a stand-in for MongoDB is slow. */
const LONG = patience(5, 60_000);

const servers = await SharedServers.start();

(servers === undefined ? describe.skip : describe)(
  `G14: a rotation on two APIs and two workers, on ${servers?.what}`,
  () => {
    let dataDir: string;
    let service: RunningService;
    const shop = new ShopUnderRotation(() => service, true);
    const start = async (): Promise<void> => {
      service = await RunningService.start({ dataDir, env: { PUBLIC_URL } });
    };

    beforeAll(async () => {
      if (servers !== undefined) shareEngines(servers);
      dataDir = newDataDir();
      await start();
      await shop.open();
    }, LONG);
    afterEach(() => {
      expect(shop.faults).toEqual([]);
    });
    afterAll(async () => {
      await service.kill();
      await discardLeftovers();
      await servers?.stop();
    });

    /** Lets partners buy while something happens. */
    const underLoad = async (happens: () => Promise<void>): Promise<void> => {
      const sold = shop.sold;
      const over = new AbortController();
      const load = shop.load(over.signal);
      try {
        await happens();
      } finally {
        over.abort();
        await load;
      }
      expect(shop.sold).toBeGreaterThan(sold);
    };

    it.each<RotatedKey>(['data', 'urls'])(
      '%s, under load: what was made before holds, and partners buy on',
      async (key) => {
        const before = await shop.idOf(key);
        await underLoad(() => shop.rotate(key));
        expect(await shop.idOf(key)).not.toBe(before);
        await shop.holds();
      },
      LONG,
    );

    it(
      'the master key, under load: the processes restart with the new key, and what was made before holds',
      async () => {
        const before = await shop.idOf('master');
        const [key, next] = [join(dataDir, 'master.key'), join(dataDir, 'master.key.next')];
        writeFileSync(next, randomBytes(32).toString('hex'), { mode: 0o600 });
        await underLoad(() => shop.begin('master'));
        await service.stop();
        copyFileSync(next, key);
        await start();
        await shop.begin('master');
        await shop.ended();
        expect(await shop.idOf('master')).not.toBe(before);
        await underLoad(() => pause(1_000));
        await shop.holds();
      },
      LONG,
    );

    it(
      'data, while one of the workers is killed: the other one ends it',
      async () => {
        const before = await shop.idOf('data');
        await underLoad(async () => {
          await shop.begin('data');
          await pause(2_000);
          await service.processes.workers[0]?.end('SIGKILL');
          await shop.ended();
        });
        expect(await shop.idOf('data')).not.toBe(before);
        await shop.holds();
      },
      LONG,
    );

    it(
      'data, while all processes are killed: it goes on at the next start',
      async () => {
        const before = await shop.idOf('data');
        await shop.begin('data');
        await pause(2_000);
        await service.kill();
        await start();
        await shop.ended();
        expect(await shop.idOf('data')).not.toBe(before);
        await shop.holds();
      },
      LONG,
    );
  },
);
