import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import { holdfast } from '../../support/backups.js';
import { buy } from '../../support/buying.js';
import { storeCard } from '../../support/cards.js';
import { engineVariables, sharedLogOf } from '../../support/cluster.js';
import { eventsIn, eventsOf } from '../../support/data-folder.js';
import { type MongoDbServer, startMongoDb } from '../../support/mongodb/mongodb-server.js';
import { REDIS, TestRedis } from '../../support/redis.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { startLogServer } from '../../support/shared-servers.js';
import { tempFolder } from '../../support/temp-folder.js';
import { patience, size, tell } from '../size.js';

const SALES = size('BACKUP_MOVED', 20);
const MASTER_KEY = '7'.repeat(64);

const folder = tempFolder();
const log = await startLogServer();
const mongo: MongoDbServer | undefined = await startMongoDb();
const redis = REDIS === 'none' ? undefined : await TestRedis.start();

afterAll(async () => {
  await discardLeftovers();
  await redis?.end();
  await mongo?.stop();
  await log.stop();
  folder.remove();
});

/** Everything of an event but its position, which is the engine's. */
const withoutPosition = ({ position: _, ...rest }: Recorded): unknown => rest;

/** Where an installation goes: the log alone; with its keys; and then with the processes of a cluster. */
const PLACES = [
  { name: 'log', what: 'the log alone', mongoUrl: undefined, redisUrl: undefined },
  ...(mongo === undefined
    ? []
    : [{ name: 'both', what: `log and keys (${mongo.name})`, mongoUrl: mongo.url, redisUrl: undefined }]),
  ...(mongo === undefined || redis === undefined
    ? []
    : [{ name: 'all', what: `everything, with two APIs and two workers`, mongoUrl: mongo.url, redisUrl: redis.url }]),
];

describe.each(PLACES)(
  'G12.2: an installation that goes to servers and back: $what',
  ({ name, what, mongoUrl, redisUrl }) => {
    const engines = { eventStoreUrl: log.url, mongoUrl, redisUrl };

    it(
      'is equal event for event',
      async () => {
        const service = await RunningService.start({ env: { MASTER_KEY }, ownProcess: true });
        const { key } = await service.newPartner('acme');
        await service.newDeal('tram', { stock: 1_000 });
        const user = await service.newUser(key, 'grace@example.com', { first_name: 'Grace' });
        await storeCard(service, key, user);
        for (let sale = 0; sale < SALES; sale += 1)
          await buy(service, key, 'tram', await service.newUser(key, `u${sale}@example.com`));
        const operator = service.operatorToken;
        await service.stop();
        const before = await eventsOf(service.dataDir);

        const backup = join(folder.path, `${name}-folder`);
        expect(await holdfast(['backup', backup], { DATA_DIR: service.dataDir })).toMatchObject({ code: 0 });
        const onServers = newDataDir();
        const there = { DATA_DIR: onServers, MASTER_KEY, ...engineVariables(onServers, engines) };
        const moved = await holdfast(['restore', backup, '--erasures', 'none'], there);
        expect(moved).toMatchObject({ code: 0, err: '' });
        const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
        const read = async (): Promise<readonly Recorded[]> =>
          eventsIn(await EventStoreDbLogReader.open(sharedLogOf(onServers, engines)));
        expect((await read()).map(withoutPosition)).toEqual(before.map(withoutPosition));
        expect(
          await holdfast(['restore', backup, '--erasures', 'none'], { ...there, DATA_DIR: newDataDir() }),
        ).toMatchObject({
          code: 1,
          err: expect.stringContaining('has an event log with the prefix'),
        });

        const again = await RunningService.start({ dataDir: onServers, engines, env: { MASTER_KEY } });
        writeFileSync(join(onServers, 'operator.token'), `${operator}\n`);
        const held = await again.ask('GET', `/users/${user}`, { key });
        expect(held.body.user.firstname).toBe('Grace');
        await buy(again, key, 'tram', user);
        const whole = join(folder.path, `${name}-servers`);
        const ran = await holdfast(['backup', whole], { ...there, HOLDFAST_URL: again.url });
        expect(ran).toMatchObject({ code: 0 });
        await again.stop();
        const after = await read();
        expect(after.length).toBeGreaterThan(before.length);

        const back = join(newDataDir(), 'data');
        expect(await holdfast(['restore', whole, '--erasures', 'none'], { DATA_DIR: back, MASTER_KEY })).toMatchObject({
          code: 0,
        });
        const returned = await eventsOf(back);
        expect(returned.map(withoutPosition)).toEqual(after.slice(0, returned.length).map(withoutPosition));
        expect(returned.length).toBeGreaterThan(before.length);
        expect(returned.map(({ position }) => position)).toEqual(returned.map((_, at) => BigInt(at + 1)));
        const home = await RunningService.start({ dataDir: back, env: { MASTER_KEY } });
        const verified = await home.ask('GET', '/auditors/verification', { token: home.auditorToken });
        expect(verified.text).toContain('"findings":0');
        await buy(home, key, 'tram', user);
        await home.discard();
        tell('BACKUP_MOVED', `${what}: ${before.length} events there, ${returned.length} back`);
      },
      patience(SALES, 1_000),
    );
  },
);
