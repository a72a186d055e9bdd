import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shareEngines, sharedEngines } from '../../support/cluster.js';
import { startMongoDb, type MongoDbServer } from '../../support/mongodb/mongodb-server.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { type LogServer, startLogServer } from '../../support/shared-servers.js';
import { patience, size } from '../size.js';
import { Figures } from './figures.js';
import { DEAL, opened, sold } from './history/hot-deal.js';
import { writeTogether } from './history/write.js';
import { addRestarts, restarts } from './restarts.js';

const SALES = size('SCALE_SERVERS', 300);
const IN_FULL = process.env['SCALE_SERVERS'] !== undefined;
const RESTARTS = IN_FULL ? 5 : 1;
/** Milliseconds for a sale to be written, and for the views on a stand-in to see it. */
const PER_SALE = 100;

const figures = new Figures('SCALE_SERVERS');

/** `npm run test:cluster` has servers of its own, for several processes. */
const alone = sharedEngines() === undefined ? describe : describe.skip;

alone(`a deal with ${SALES} sales, its log and views on servers`, () => {
  let mongo: MongoDbServer | undefined;
  let server: LogServer | undefined;

  beforeAll(async () => {
    mongo = await startMongoDb();
    if (mongo === undefined) return;
    server = await startLogServer();
    shareEngines({ eventStoreUrl: server.url, mongoUrl: mongo.url });
  }, 300_000);
  afterAll(async () => {
    await discardLeftovers();
    await server?.stop();
    await mongo?.stop();
  });

  it(
    'D1: sells at once after a kill and a restart',
    async () => {
      if (mongo === undefined) return;
      const all = [{ deal: DEAL, sales: SALES, buyers: 10_000 }];
      const dataDir = newDataDir();
      const { shop, partner } = await opened(dataDir, all);
      await sold(dataDir, partner, all, writeTogether);
      const start = async (): Promise<RunningService> => {
        const service = await RunningService.start({ dataDir, ownProcess: true, unready: true });
        // MongoDB's stand-in writes some hundred rows per second: the first start waits long for its views.
        await service.ready(patience(SALES, PER_SALE));
        return service;
      };
      const options = { key: shop.key, deals: [DEAL], times: RESTARTS, patience: patience(SALES, PER_SALE) };
      const found = await restarts(start, options);
      expect(found).toHaveLength(RESTARTS);
      addRestarts(figures, `${SALES} sales on servers`, found, { ceiling: 250, goal: 100 });
    },
    patience(SALES, 2 * PER_SALE),
  );

  (IN_FULL ? it : it.skip)('keeps to the ceilings', () => {
    figures.expectAllWithin();
  });
});
