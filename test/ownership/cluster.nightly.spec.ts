import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { readLedger } from '#adapters/sandbox-gateway';
import { buyFull, cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { casesInFull, describeAlone, itInFull } from '../support/alone.js';
import { engineVariables, sharedEngines, shareEngines } from '../support/cluster.js';
import { keepingTheLog } from '../support/log-kept.js';
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

type Documents = Readonly<Record<string, readonly Document[]>>;

const START_WITHIN = 240_000;
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));
/** Milliseconds: longer than a mark takes to be written and to be known to every process. */
const MARKED = 6_000;
/** A gateway that gets no requests. */
const NOWHERE = 'http://127.0.0.1:9';

/** What an administrator does to the streams of a deal's sale, by the deal. */
const CUTS = new Map<string, (client: EventStoreDBClient, stream: string) => Promise<unknown>>([
  ['deleted', (client, stream) => client.deleteStream(stream)],
  ['counted', (client, stream) => client.setStreamMetadata(stream, { maxCount: 1 })],
  ['aged', (client, stream) => client.setStreamMetadata(stream, { maxAge: 1 })],
  ['tombstoned', (client, stream) => client.tombstoneStream(stream)],
]);
/** What the administrator does while nothing runs. */
const CUT_LATER = new Map<string, (client: EventStoreDBClient, stream: string) => Promise<unknown>>([
  ['later', (client, stream) => client.deleteStream(stream)],
]);

const mongo = sharedEngines() === undefined && REDIS !== 'none' ? await startMongoDb() : undefined;

if (mongo === undefined) {
  describe('need a MongoDB and a Redis of their own', () =>
    it.skip('need a MongoDB and a Redis of their own', () => undefined));
} else {
  // One installation for all cases: each leaves it unchanged, except for the last ones.
  describeAlone('two APIs and a worker', () => {
    const server = new OwnServer();
    const dataDir = newDataDir();
    let redis: TestRedis;
    let env: Readonly<Record<string, string>>;
    let cluster: RunningService;
    let acme: TestPartner;
    let olderKeys: Documents;
    /** One deal for each way to cut a stream. */
    const cutSales = new Map<string, Json>();
    const beside: Program[] = [];

    const start = (): Promise<RunningService> =>
      RunningService.start({ dataDir, workers: 1, unready: true, env: { LOG_LEVEL: 'error' } });
    /** The address of each process, APIs and worker. */
    const everywhere = async (): Promise<readonly string[]> => {
      const { workers } = cluster.processes;
      return [
        ...cluster.urls,
        ...(await Promise.all(workers.map((each) => each.waitFor(/listens at (\S+)/, START_WITHIN)))),
      ];
    };
    /** Starts an API and a worker beside the others, and waits until they listen. @returns their addresses */
    const startBeside = async (own: Readonly<Record<string, string>> = {}): Promise<readonly string[]> => {
      const options = {
        PUBLIC_URL: NOWHERE,
        DATA_DIR: dataDir,
        PORT: '0',
        DEMO: 'false',
        TEST_CLOCK: 'true',
        LOG_LEVEL: 'error',
      };
      const started = ['apps/api/main.js', 'apps/worker/main.js'].map((main) =>
        Program.startInHost(main, { ...env, SANDBOX_GATEWAY_URL: NOWHERE, ...options, ...own }),
      );
      beside.push(...started);
      return Promise.all(started.map((each) => each.waitFor(/listens at (\S+)/, START_WITHIN)));
    };
    /** Starts an API and a worker that accept a finding, and waits until all these processes are ready. The log keeps everything. */
    const accept = (code: string, others: () => Promise<readonly string[]> = async () => []): Promise<void> =>
      keepingTheLog(
        () => server.control.events(),
        async () => healthy([...(await startBeside({ ACCEPT: code })), ...(await others())]),
      );
    const endBeside = async (): Promise<void> => {
      await Promise.all(beside.splice(0).map((each) => each.end('SIGTERM')));
    };
    const healthy = async (places: readonly string[]): Promise<void> => {
      for (const at of places) await healthOnce(cluster, ({ status }) => status === 'success', at);
    };
    /** How often the lease of the log was written. */
    const leaseWrites = (): Promise<number> => server.metadataWrites(`${env['EVENTSTORE_PREFIX']}holdfast_lease`);
    const charged = (): number => readLedger(join(dataDir, 'sandbox-gateway.jsonl')).length;
    const buy = (deal: string, email: string): Promise<Json> =>
      buyFull(cluster, acme, { deal_id: deal, quantity: 2, credit_card: cardOf(GOOD_CARD), user: personOf(email) });
    /** The finding that all these processes report. */
    const refusedAt = async (places: readonly string[]): Promise<Json> => {
      const found = await Promise.all(places.map((at) => refusal(cluster, at)));
      expect(new Set(found.map(({ code }) => code)).size).toBe(1);
      return found[0];
    };
    /** The finding that every process of the cluster reports; none decides anything or calls the gateway. */
    const refusedEverywhere = async (): Promise<Json> => {
      const before = charged();
      const found = await refusedAt(await everywhere());
      for (const at of cluster.urls) expect(await reserve(cluster, acme, 1, at)).toBe(503);
      expect([(await buy('tram', 'bob@example.org')).status, charged()]).toEqual([503, before]);
      const { apis, workers } = cluster.processes;
      await Promise.all([...apis, ...workers].map((program) => program.prints(found.message.slice(0, 40))));
      return found;
    };

    beforeAll(async () => {
      await server.begin();
      redis = await TestRedis.start();
      const engines = { eventStoreUrl: server.url, mongoUrl: mongo.url, redisUrl: redis.url };
      env = engineVariables(dataDir, engines);
      const { EVENTSTORE_URL = '', EVENTSTORE_PREFIX = '' } = env;
      // Another installation's log with the same name.
      const another = Program.start('apps/api/main.js', {
        ...{ EVENTSTORE_URL, EVENTSTORE_PREFIX, DATA_DIR: newDataDir() },
        ...{ PORT: '0', DEMO: 'false' },
      });
      await another.waitFor(/ready at (\S+)/, START_WITHIN);
      await another.end('SIGTERM');
      server.keep("another installation's");
      await server.putBack(undefined);

      shareEngines(engines);
      cluster = await start();
      await cluster.ready();
      acme = await openShop(cluster);
      await cluster.newDeal('whole', { stock: 10 });
      for (const [deal] of [...CUTS, ...CUT_LATER]) {
        await cluster.newDeal(deal, { stock: 10 });
        const { purchase } = (await buy(deal, `${deal}@example.org`)).body;
        const redeemed = await cluster.ask('PUT', `/coupons/${purchase.coupons[0].id}/redeem`, { key: acme.key });
        expect(redeemed.status).toBe(200);
        cutSales.set(deal, purchase);
      }
      expect((await buy('tram', 'ann@example.org')).status).toBe(200);
      server.keep('older');
      olderKeys = await documentsOf(env['MONGODB_URL'] ?? '');
      expect((await buy('tram', 'bea@example.org')).status).toBe(200);
      await pause(MARKED);
      server.keep('right');
    });
    afterAll(async () => {
      await cluster.kill();
      await discardLeftovers();
      await redis.end();
      await server.end();
      server.remove();
      await mongo.stop();
    });

    const logs = casesInFull<[string, string | undefined, string]>(
      ['an older copy of the log', 'older', 'The event log ends before the last event that this installation knows'],
      ['an empty server', undefined, 'The event log is empty or missing, where there was one'],
      ["another installation's log", "another installation's", 'This is another event log'],
    );
    it.each(logs)(
      'refuse %s, running or starting, and go on by themselves once the right log is back',
      async (_, copy, words) => {
        await server.putBack(copy);
        const there = await server.streamsNamed(env['EVENTSTORE_PREFIX'] ?? '');
        const running = await refusedEverywhere();
        expect(running.message).toContain(words);
        const started = await startBeside();
        expect((await refusedAt(started)).code).toBe(running.code);
        expect(await reserve(cluster, acme, 1, started[0])).toBe(503);
        expect(await server.streamsNamed(env['EVENTSTORE_PREFIX'] ?? '')).toEqual(there);
        await server.putBack('right');
        await healthy([...(await everywhere()), ...started]);
        expect(await left(cluster, acme)).toBe(6);
        await endBeside();
      },
    );

    it('notice a changed key store while they run, and neither decide nor create anything', async () => {
      const url = env['MONGODB_URL'] ?? '';
      const right = await documentsOf(url);
      const other = (fact: Document): Document =>
        fact['_id'] === 'installation'
          ? { ...fact, text: 'another one' }
          : fact['_id'] === 'mark'
            ? { ...fact, text: String(fact['text']).replace(/"identity":"[^"]*"/, '"identity":"another log"') }
            : fact;
      const untouched = async (put: Documents): Promise<void> => {
        const there = await documentsOf(url);
        for (const kept of ['facts', 'person_keys', 'vault'])
          expect([kept, there[kept] ?? []]).toEqual([kept, put[kept] ?? []]);
      };
      await fillDatabase(url, olderKeys);
      expect((await refusedEverywhere()).message).toContain('The key store was replaced by an older copy');
      await untouched(olderKeys);
      for (const [put, words] of [
        [{}, 'The key store was deleted'],
        [
          { ...right, facts: (right['facts'] ?? []).map(other) },
          'The key store belongs to another installation (another one)',
        ],
      ] as const) {
        await fillDatabase(url, right);
        const started = await startBeside();
        await healthy(started);
        await fillDatabase(url, put);
        expect((await refusedAt(started)).message).toContain(words);
        expect(await reserve(cluster, acme, 1, started[0])).toBe(503);
        await untouched(put);
        await endBeside();
      }

      // A start notices it by what the log records about the key store.
      await cluster.stop();
      await fillDatabase(url, olderKeys);
      const noted = await leaseWrites();
      const started = await startBeside();
      const { message, code } = await refusedAt(started);
      expect(message).toContain('The key store is older than the event log');
      expect(message).toContain('Accepting it loses what only the later one had: nobody can read the names');
      expect(await reserve(cluster, acme, 1, started[0])).toBe(503);
      await untouched(olderKeys);
      expect(await leaseWrites()).toBe(noted);
      await endBeside();
      await accept(code);
      await endBeside();
      cluster = await start();
      await healthy(await everywhere());
      expect(await left(cluster, acme)).toBe(6);
    });

    itInFull('survive an empty or foreign Redis, and leave its keys unchanged', async () => {
      const client = redis.client();
      /** Where the keys are moved out of the way. */
      const theirs = 'holdfast-another-log';
      const found = async (): Promise<Readonly<Record<string, string | undefined>>> => {
        const keys = (await client.keys(`${theirs}*`)).sort();
        const dumps = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
        return Object.fromEntries(keys.map((key, index) => [key, dumps[index]?.toString('hex')]));
      };
      expect(
        (await cluster.ask('POST', '/purchases/reserve?deal_id=whole&num_bought=1', { key: acme.key })).status,
      ).toBe(200);
      for (const key of await client.keys('holdfast-*')) {
        const [, list = ''] = /^holdfast-[^:]*(:.*)$/.exec(key) ?? [];
        await client.rename(key, `${theirs}${list}`).catch(() => undefined);
        await client.persist(`${theirs}${list}`);
      }
      const before = await found();
      expect(Object.keys(before).length).toBeGreaterThan(0);
      await cluster.forward(301);
      const wanted = (): Promise<number> =>
        cluster.look('/deals/whole?region=testland', acme.key).then(({ body }) => body.deal?.num_left as number);
      while ((await wanted()) !== 10) await pause(100);
      expect(await found()).toEqual(before);
      await healthy(await everywhere());
      client.disconnect();
    });

    itInFull('all go on with an older copy that an operator accepts at the start of one process', async () => {
      // Each process names the last event that it knows: they must know the same one.
      await pause(MARKED);
      await server.putBack('older');
      const { code } = await refusedEverywhere();
      await accept(code, everywhere);
      await endBeside();
      await cluster.stop();
      cluster = await start();
      await healthy(await everywhere());
      // The log no longer has this position. Later there were six units left.
      cluster.forgetPosition();
      expect(await reserve(cluster, acme, 8)).toBe(200);
    });

    itInFull(
      'each refuse streams that an administrator cut, running and at the start, and go on with the others',
      async () => {
        const streamsOf = (deal: string): readonly string[] => {
          const { id, coupons } = cutSales.get(deal) ?? {};
          return [`inventory-${deal}`, `purchase-${id}`, `coupon-${coupons[0].id}`];
        };
        const cut = new Set<string>();
        const cutNow = async (deals: typeof CUTS): Promise<void> => {
          const client = EventStoreDBClient.connectionString(server.url);
          for (const [deal, by] of deals) {
            for (const stream of streamsOf(deal)) {
              await by(client, `${env['EVENTSTORE_PREFIX']}${stream}`);
              cut.add(stream);
            }
          }
          await client.dispose();
        };
        const before = charged();
        const found = async (): Promise<void> => {
          const all = (await everywhere()).map((at) =>
            healthOnce(
              cluster,
              ({ findings }) => new Set(findings.map(({ stream }: Json) => stream)).size === cut.size,
              at,
            ),
          );
          for (const { http, findings } of await Promise.all(all)) {
            expect([http, new Set(findings.map(({ stream }: Json) => stream))]).toEqual([503, cut]);
            for (const { message } of findings) expect(message).toContain('ACCEPT=');
          }
        };
        const statuses = (requests: readonly Promise<Json>[]): Promise<readonly number[]> =>
          Promise.all(requests).then((answers) => answers.map(({ status }) => status));
        const tried = async (): Promise<void> => {
          const { operatorToken: token } = cluster;
          const body = { reason: 'sorry' };
          for (const at of cluster.urls) {
            const reserveOf = (deal: string): Promise<Json> =>
              cluster.ask('POST', `/purchases/reserve?deal_id=${deal}&num_bought=1`, { key: acme.key, at });
            for (const [deal, { id, coupons }] of cutSales) {
              if (!cut.has(`inventory-${deal}`)) continue;
              const requests = [
                reserveOf(deal),
                cluster.ask('POST', `/operators/purchases/${id}/refund`, { token, body, at }),
                cluster.ask('POST', `/operators/coupons/${coupons[0].id}/cancel`, { token, body, at }),
              ];
              expect([deal, await statuses(requests)]).toEqual([deal, [503, 503, 503]]);
            }
            expect(await statuses([reserveOf('whole')])).toEqual([200]);
          }
          expect(charged()).toBe(before);
        };
        await cutNow(CUTS);
        await found();
        await tried();
        await cluster.stop();
        cluster = await start();
        await found();
        await tried();
        await cluster.stop();
        await cutNow(CUT_LATER);
        cluster = await start();
        await found();
        await tried();
      },
      400_000,
    );
  });
}
