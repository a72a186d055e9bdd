import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { buyFull, cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { describeAlone } from '../support/alone.js';
import { engineVariables, sharedEngines, shareEngines } from '../support/cluster.js';
import { documentsOf, fillDatabase, startMongoDb } from '../support/mongodb/mongodb-server.js';
import { healthOnce, left, openShop, OwnServer, refusal, reserve } from '../support/own-server.js';
import { Program } from '../support/program.js';
import { REDIS, TestRedis } from '../support/redis.js';
import {
  discardLeftovers,
  newDataDir,
  RunningService,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

const START_WITHIN = 180_000;
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));
/** Longer than a mark takes to be written, in milliseconds. */
const MARKED = 1_500;

const mongo = sharedEngines() === undefined && REDIS !== 'none' ? await startMongoDb() : undefined;

if (mongo === undefined) {
  describe('two APIs and a worker', () => it.skip('need a MongoDB and a Redis of their own', () => undefined));
} else {
  // One installation for all cases: each leaves it as it found it.
  describeAlone('two APIs and a worker', () => {
    const server = new OwnServer();
    const dataDir = newDataDir();
    let redis: TestRedis;
    let env: Readonly<Record<string, string>>;
    let cluster: RunningService;
    let acme: TestPartner;
    let sold: Json;

    const start = (): Promise<RunningService> =>
      RunningService.start({ dataDir, workers: 1, unready: true, env: { LOG_LEVEL: 'error' } });
    /** Where each process is reached, the APIs and the worker. */
    const everywhere = async (): Promise<readonly string[]> => {
      const { workers } = cluster.processes;
      return [
        ...cluster.urls,
        ...(await Promise.all(workers.map((each) => each.said(/listens at (\S+)/, START_WITHIN)))),
      ];
    };
    const healthy = async (): Promise<void> => {
      for (const at of await everywhere()) await healthOnce(cluster, ({ status }) => status === 'success', at);
    };
    const charged = (): number => readLedger(join(dataDir, 'sandbox-gateway.jsonl')).length;
    const buy = (deal: string, email: string): Promise<Json> =>
      buyFull(cluster, acme, { deal_id: deal, quantity: 2, credit_card: cardOf(GOOD_CARD), user: personOf(email) });
    /** What each process says, which is the same; nothing is decided, and no gateway asked. */
    const refusedEverywhere = async (): Promise<Json> => {
      const before = charged();
      const found = await Promise.all((await everywhere()).map((at) => refusal(cluster, at)));
      expect(new Set(found.map(({ code }) => code)).size).toBe(1);
      for (const at of cluster.urls) expect(await reserve(cluster, acme, 1, at)).toBe(503);
      expect([(await buy('tram', 'bob@example.org')).status, charged()]).toEqual([503, before]);
      const { apis, workers } = cluster.processes;
      for (const { printed } of [...apis, ...workers]) expect(printed).toContain(found[0].words.slice(0, 40));
      return found[0];
    };

    beforeAll(async () => {
      await server.begin();
      redis = await TestRedis.start();
      const engines = { eventStoreUrl: server.url, mongoUrl: mongo.url, redisUrl: redis.url };
      env = engineVariables(dataDir, engines);
      const { EVENTSTORE_URL = '', EVENTSTORE_PREFIX = '' } = env;
      // Another installation's log, of the same name.
      const another = Program.start('apps/api/main.js', {
        ...{ EVENTSTORE_URL, EVENTSTORE_PREFIX, DATA_DIR: newDataDir() },
        ...{ PORT: '0', DEMO: 'false' },
      });
      await another.said(/ready at (\S+)/, START_WITHIN);
      await another.end('SIGTERM');
      server.keep("another installation's");
      await server.putBack(undefined);

      shareEngines(engines);
      cluster = await start();
      await cluster.ready();
      acme = await openShop(cluster);
      sold = (await buy('tram', 'ann@example.org')).body.purchase;
      const redeemed = await cluster.ask('PUT', `/coupons/${sold.coupons[0].id}/redeem`, { key: acme.key });
      expect(redeemed.status).toBe(200);
      await pause(MARKED);
      server.keep('older');
      expect((await buy('tram', 'bea@example.org')).status).toBe(200);
      await pause(MARKED);
      server.keep('right');
    }, 300_000);
    afterAll(async () => {
      await cluster.kill();
      await discardLeftovers();
      await redis.end();
      await server.end();
      server.remove();
      await mongo.stop();
    });

    describe.each<[string, string | undefined, string]>([
      ['an older copy of the log', 'older', 'The event log ends before the last event that this installation knows'],
      ['an empty server', undefined, 'Here is an empty event log, or none, where there was one'],
      ["another installation's log", "another installation's", 'This is another event log'],
    ])('%s', (_, copy, words) => {
      it('is refused by all that run, and they go on by themselves once the right one is back', async () => {
        await server.putBack(copy);
        const there = await server.streamsNamed(env['EVENTSTORE_PREFIX'] ?? '');
        expect((await refusedEverywhere()).words).toContain(words);
        expect(await server.streamsNamed(env['EVENTSTORE_PREFIX'] ?? '')).toEqual(there);
        await server.putBack('right');
        await healthy();
        expect(await left(cluster, acme)).toBe(6);
      }, 300_000);
    });

    it('an older copy is refused in the same way by all that start on it, and they go on in the same way', async () => {
      await cluster.stop();
      await server.putBack('older');
      cluster = await start();
      const there = await server.streamsNamed(env['EVENTSTORE_PREFIX'] ?? '');
      expect((await refusedEverywhere()).words).toContain('The event log ends before the last event');
      expect(await server.streamsNamed(env['EVENTSTORE_PREFIX'] ?? '')).toEqual(there);
      await server.putBack('right');
      await healthy();
      expect(await left(cluster, acme)).toBe(6);
    }, 300_000);

    it('a key store that was dropped under them is seen, and nothing is decided until the right one is back, and they started again', async () => {
      const url = env['MONGODB_URL'] ?? '';
      const right = await documentsOf(url);
      await fillDatabase(url, {});
      expect((await refusedEverywhere()).words).toContain('The key store was dropped');
      const there = await documentsOf(url);
      for (const kept of ['facts', 'person_keys', 'vault']) expect([kept, there[kept] ?? []]).toEqual([kept, []]);
      await cluster.stop();
      await fillDatabase(url, right);
      cluster = await start();
      await healthy();
      expect(await left(cluster, acme)).toBe(6);
    }, 300_000);
  });
}
