import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { engineVariables, shareEngines } from '../../support/cluster.js';
import { startMongoDb } from '../../support/mongodb/mongodb-server.js';
import { REDIS, REDIS_SHOWN, TestRedis } from '../../support/redis.js';
import { RunningDouble } from '../../support/running-double.js';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { patience } from '../size.js';
import { Sellers } from './sellers.js';
import { CLIENTS, type Fault, Watched } from './watched.js';

const mongo = REDIS === 'own' ? await startMongoDb() : undefined;
const ours = mongo?.pid === undefined ? undefined : { ...mongo, pid: mongo.pid };

(ours === undefined ? describe.skip : describe)(
  `G11.6: two APIs and two workers under load, on the double, ${ours?.name} and ${REDIS_SHOWN}`,
  () => {
    let double: RunningDouble;
    let redis: TestRedis;
    let service: RunningService;
    let watched: Watched;

    beforeAll(async () => {
      double = await RunningDouble.start('--port=0');
      redis = await TestRedis.own();
      const engines = { eventStoreUrl: double.url, mongoUrl: ours?.url, redisUrl: redis.url };
      shareEngines(engines);
      service = await RunningService.start();
      const { key } = await service.newPartner('acme');
      await service.newDeal('spa', { stock: null });
      const user = await service.newUser(key, 'ada@example.org');
      const sellers = new Sellers(service, { key, deal: 'spa', user }, CLIENTS);
      watched = await Watched.begin(service, sellers, {
        ...engineVariables(service.dataDir, engines),
        // The doctor needs one to know that this is an API beside workers.
        SANDBOX_GATEWAY_URL: 'http://127.0.0.1:1',
      });
    }, 300_000);
    afterAll(async () => {
      await watched.end();
      await service.kill();
      await double.kill();
      await redis.end();
      await discardLeftovers();
      await ours?.stop();
    });

    const gone = (server: string, { begin, end, sells }: Pick<Fault, 'begin' | 'end' | 'sells'>): Fault => ({
      what: `${server} is gone`,
      begin,
      end,
      alert: 'HoldfastServerAway',
      check: server === 'EventStoreDB' ? 'event log' : server,
      says: /does not answer/,
      sells,
    });

    it(
      'Redis gone and back: sales go on',
      async () => {
        await watched.endure(gone('Redis', { begin: () => redis.stop(), end: () => redis.startAgain(), sells: true }));
      },
      patience(4, 60_000),
    );

    it(
      'EventStoreDB gone and back: sales go on when it is back',
      async () => {
        const { control } = double;
        await watched.endure(
          gone('EventStoreDB', { begin: () => control.stop(), end: () => control.start(), sells: false }),
        );
      },
      patience(4, 60_000),
    );

    it(
      'MongoDB silent and back: sales go on when it is back',
      async () => {
        const send = (signal: NodeJS.Signals): void => void process.kill(ours?.pid ?? 0, signal);
        await watched.endure(
          gone('MongoDB', { begin: () => send('SIGSTOP'), end: () => send('SIGCONT'), sells: false }),
        );
      },
      patience(4, 60_000),
    );

    it('no sale that was acknowledged is lost', () => watched.everySaleIsKept(), patience(16, 60_000));
  },
);
