import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDbLogReader } from '#adapters/eventstoredb';
import { sharedEngines, shareEngines, sharedLogOf } from '../../../support/cluster.js';
import { storeCard } from '../../../support/cards.js';
import { eventsIn } from '../../../support/data-folder.js';
import { Line } from '../../../support/eventstoredb/line.js';
import { EventStoreDbDouble } from '../../../support/eventstoredb/server.js';
import { startMongoDb } from '../../../support/mongodb/mongodb-server.js';
import { REDIS, TestRedis } from '../../../support/redis.js';
import { discardLeftovers, newDataDir, RunningService } from '../../../support/running-service.js';
import { expectSoundLog } from '../../../support/sound-log.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { workDone } from '../../../support/work-done.js';
import { patience, size, tell } from '../../size.js';
import { type Arrived, type Attempt, watchAppends, whatMet } from '../append-watch.js';
import { faultsIn } from './books.js';
import { KINDS, type Kind } from '../sales.js';
import { type Api, randomBelow, Callers, either, type Holder } from './callers.js';
import { Operator } from './operator.js';
import { asA, PATIENCE_OF_A, ReportsOfA } from './reports-of-a.js';

/** Deals; each is a story of its own. */
const STORIES = size('LINES', 8);
/** Stories during one break of the line. */
const AT_ONCE = STORIES > 20 ? 12 : 4;
/** The number of stories in which each situation of the campaign must occur; in a few stories it may not occur at all. */
const AT_LEAST = Math.floor(STORIES / 100) * 5;
const [UNITS, BUYERS, PRICE] = [8, 5, 1_000];
/** Milliseconds: a latency that nothing waits for; the longest time that a line stays cut, or stalled, after B took over. */
const [LONG, LEFT_ALONE, STALLED] = [5_000, 1_500, 1_000];

const mongo = sharedEngines() === undefined && REDIS !== 'none' ? await startMongoDb() : undefined;

(mongo === undefined ? describe.skip : describe)('two whole APIs, and the line of one to the log breaks', () => {
  const folder = tempFolder();
  const file = join(folder.path, 'reports-of-a');
  const dataDir = newDataDir();
  let double: EventStoreDbDouble;
  let redis: TestRedis;
  let line: Line;
  let service: RunningService;
  let prefix: string;
  let arrived: (stream: string) => readonly Arrived[];
  let operator: Operator;
  let callers: Callers;
  let reports: ReportsOfA;
  const holders: Holder[] = [];
  const deals: string[] = [];

  beforeAll(async () => {
    double = await EventStoreDbDouble.start();
    arrived = watchAppends(double);
    redis = await TestRedis.start();
    line = await Line.to({ host: '127.0.0.1', port: double.port });
    const engines = { eventStoreUrl: double.url, mongoUrl: mongo?.url, redisUrl: redis.url };
    shareEngines(engines);
    ({ prefix } = sharedLogOf(dataDir, engines));
    service = await RunningService.start({
      dataDir,
      workers: 1,
      env: { ARGON2_MEMORY: '8', ARGON2_TIME: '1', ARGON2_PARALLELISM: '1' },
      eachApi: [
        { EVENTSTORE_URL: `${line.url}&connectionName=A`, ...asA(file) },
        { EVENTSTORE_URL: `${double.url}&connectionName=B` },
      ],
    });
    const { key } = await service.newPartner('acme');
    await service.newDeal('first');
    for (let number = 0; number < BUYERS; number += 1) {
      const userId = await service.newUser(key, `holder-${number}@example.org`);
      holders.push({ userId, cardId: await storeCard(service, key, userId) });
    }
    reports = new ReportsOfA(file);
    operator = new Operator(service);
    callers = new Callers(service, key, PRICE);
  });
  afterAll(async () => {
    await service.kill();
    await discardLeftovers();
    line.cut();
    reports.close();
    double.close();
    await redis.end();
    await mongo?.stop();
    folder.remove();
  });

  /** Sells every deal to these buyers, who begin at random times within this many milliseconds. */
  async function sell(
    to: readonly string[],
    within: number,
    at: () => Api,
    buyers: readonly Holder[],
    kinds: readonly Kind[] = KINDS,
  ): Promise<void> {
    await Promise.all(
      to.flatMap((deal) =>
        buyers.map(async (holder) => {
          await pause(randomBelow(within));
          await callers.buy(deal, either(kinds), 1 + randomBelow(2), holder, at());
        }),
      ),
    );
  }

  const sent = (deal: string): readonly Attempt[] => reports.sent(`inventory-${deal}`);
  const asked = (deal: string): number => reports.asked(`inventory-${deal}`);

  /** Waits until this is true for most of the deals, or until the time is over. */
  async function untilMost(own: readonly string[], is: (deal: string) => boolean, within: number): Promise<void> {
    const until = performance.now() + within;
    while (own.filter(is).length < 0.7 * own.length && performance.now() < until) await pause(10);
  }

  /** Waits until B has written in place of most of what A has on its line, and then a while longer. */
  async function untilTaken(own: readonly string[], more: number): Promise<void> {
    const wroteAt = (deal: string, api: Api): boolean =>
      arrived(`${prefix}inventory-${deal}`).some(
        ({ expected, from }) => from === api && expected === sent(deal).at(-1)?.expected,
      );
    await pause(PATIENCE_OF_A / 3);
    const waiting = own.filter((deal) => !wroteAt(deal, 'A'));
    await untilMost(waiting, (deal) => wroteAt(deal, 'B'), PATIENCE_OF_A);
    await pause(more);
  }

  /**
   * Everybody buys at A, where a batch of each deal waits while its line is stalled; callers that must try again go to B. Then
   * the line is cut, and what was on it is lost, or it is released, and it comes late. After that both sell what is left, and
   * more.
   */
  async function tellStories(name: string, how: 'cut' | 'let go'): Promise<void> {
    const own = await operator.newDeals(name, AT_ONCE, UNITS, PRICE);
    deals.push(...own);
    const [first, others] = [holders.slice(0, 1), holders.slice(1)];
    // After that A knows each deal's stream, so that it sends the next command at once.
    await sell(own, 50, () => 'A', first, ['claim', 'stored card']);
    const before = new Map(own.map((deal) => [deal, { sent: sent(deal).length, asked: asked(deal) }]));
    const waits = (deal: string): boolean => {
      const known = before.get(deal);
      return known !== undefined && sent(deal).length > known.sent && asked(deal) > known.asked + 2;
    };
    // A busy server: later commands wait at A, and are decided and sent together.
    await double.control.set({ latency: LONG });
    const sold = sell(own, 150, () => 'A', others);
    await untilMost(own, waits, PATIENCE_OF_A / 2);
    // After each answer, followers are appended to other streams; after those answers A decides what has waited.
    double.appends.flush();
    await pause(100 + randomBelow(300));
    line.stall('requests');
    await double.control.set({ latency: 1 });
    double.appends.flush();
    if (how === 'cut') {
      await pause(randomBelow(PATIENCE_OF_A / 2));
      line.cut();
      line.release();
      await untilTaken(own, randomBelow(LEFT_ALONE));
      await line.mend();
    } else {
      await untilTaken(own, randomBelow(STALLED));
      line.release();
    }
    await sold;
    await sell(own, 200, () => either(['A', 'B']), first);
    // Just before and after holds expire: a process with another deadline would show it now.
    await operator.forward(285_000 + randomBelow(16_000));
    await sell(own, 200, () => either(['A', 'B']), first);
  }

  /** The number of stories in which each situation of the campaign occurred. */
  function counted(): { readonly firstOnly: number; readonly late: number } {
    const met = deals.map((deal) => whatMet(sent(deal), arrived(`${prefix}inventory-${deal}`)));
    return { firstOnly: met.filter((each) => each.firstOnly).length, late: met.filter((each) => each.late).length };
  }

  it(
    'D1 D2 D7 A11: nothing is oversold, nothing acknowledged is missing, no deadline moves, every sale has an answer',
    async () => {
      for (let round = 0; deals.length < STORIES; round += 1) {
        await tellStories(`round-${round}`, round % 2 === 0 ? 'cut' : 'let go');
        tell('LINES', `${deals.length} stories, ${callers.sold.length} sales, ${callers.away} sent away`);
      }
      await operator.forward(60_000);
      await callers.findOut();
      await workDone(service);
      const { firstOnly, late } = counted();
      const events = await eventsIn(await EventStoreDbLogReader.open({ url: double.url, prefix }));
      const faults = faultsIn(events, callers.successes);
      const kinds = KINDS.map((kind) => `${callers.sold.filter((each) => each === kind).length} ${kind}`).join(', ');
      tell(
        'LINES',
        `${deals.length} stories over HTTP (at A a command waits ${PATIENCE_OF_A} ms, not 5000): B wrote the first of A's ` +
          `batch alone in ${firstOnly}, A's append came after B's in ${late}; sales: ${kinds}; ${callers.away} sent away, ${callers.open} told to wait for their last one; longest wait ${callers.longest} ms; faults: ${JSON.stringify(faults)}`,
      );
      expect(faults).toEqual({ oversold: 0, missing: 0, moved: 0, unknown: 0, words: [] });
      expectSoundLog(events);
      expect(firstOnly).toBeGreaterThanOrEqual(AT_LEAST);
      expect(late).toBeGreaterThanOrEqual(AT_LEAST);
    },
    patience(STORIES, 10_000),
  );
});
