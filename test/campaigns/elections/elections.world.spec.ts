import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDbLogReader } from '#adapters/eventstoredb';
import { ClusterDouble } from '../../support/eventstoredb/cluster.js';
import { Api } from '../lines/api.js';
import { missingAndMoved, oversoldAndShortened } from '../lines/books.js';
import { patience, size, tell } from '../size.js';
import { CHANGES, leaderOf } from './changes.js';
import { Shoppers } from './shoppers.js';

const COUNT = size('ELECTIONS', Object.keys(CHANGES).length);
const FULL = COUNT >= 50;
/** As on a real cluster, in milliseconds; small: 100 to 300, and 3,000 to 3,500 after a freeze. */
const TIMES = FULL ? {} : ({ election: [100, 300], frozenElection: [3_000, 3_500] } as const);
const [LANES, BUYERS, UNITS] = [4, 4, 60];
/** The command loop's patience, in milliseconds, as outside tests. */
const PATIENCE = 5_000;
/** Milliseconds after which a leader that has taken no append is a failure. */
const FIRST_SALE_WITHIN = 240_000;
const EVENTS = 1_000;

const randomBelow = (most: number): number => Math.floor(Math.random() * most);

describe('two APIs sell on a cluster whose leader changes', () => {
  let cluster: ClusterDouble;
  let apis: readonly [Api, Api];
  let reader: EventStoreDbLogReader;

  beforeAll(async () => {
    cluster = await ClusterDouble.start(TIMES);
    const options = { url: cluster.url, prefix: 'holdfast_', patience: PATIENCE };
    reader = await EventStoreDbLogReader.open(options);
    apis = [await Api.start({ ...options, name: 'A' }), await Api.start({ ...options, name: 'B' })];
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.kill()));
    await reader.close();
    cluster.close();
  });

  /** Changes the leader. @returns milliseconds from the new leader to the first sale */
  async function change(kind: string, shoppers: Shoppers): Promise<number> {
    // Followers lag up to half a second.
    for (const index of [0, 1, 2]) await cluster.control.lag(index, randomBelow(4) === 0 ? randomBelow(500) : 2);
    const before = cluster.leadsSince;
    const makeWhole = await CHANGES[kind]?.(cluster.control);
    while (cluster.leadsSince === before || cluster.leader === undefined) await pause(1);
    const since = cluster.leadsSince;
    const failing = performance.now() + FIRST_SALE_WITHIN;
    for (;;) {
      const first = shoppers.sales.find((sold) => sold > since);
      if (first !== undefined) {
        await pause(randomBelow(300));
        await makeWhole?.();
        await leaderOf(cluster.control);
        await pause(randomBelow(500));
        return first - since;
      }
      if (apis.some(({ alive }) => !alive)) throw new Error(`an API has ended after ${kind}`);
      if (performance.now() > failing) throw new Error(`no sale within ${FIRST_SALE_WITHIN} ms after ${kind}`);
      await pause(1);
    }
  }

  it(
    'D1 A11: nothing is oversold, nothing acknowledged is missing, no read is behind an answer, no API restarts',
    async () => {
      const shoppers = new Shoppers(apis, reader, UNITS);
      shoppers.start(LANES, BUYERS);
      const kinds = Object.keys(CHANGES);
      const took: { readonly kind: string; readonly milliseconds: number }[] = [];
      for (let number = 0; number < COUNT; number += 1) {
        const kind = kinds[number % kinds.length] ?? '';
        took.push({ kind, milliseconds: await change(kind, shoppers) });
      }
      await shoppers.end();
      const read = (stream: string): ReturnType<typeof reader.readStream> => reader.readStream(stream, 0, EVENTS);
      let [oversold, shortened] = [0, 0];
      for (const deal of shoppers.deals) {
        const added = oversoldAndShortened(await read(`inventory-${deal}`));
        oversold += added.oversold;
        shortened += added.moved;
      }
      const { missing, moved } = await missingAndMoved(shoppers.answers, read);
      const faults = { oversold, missing, moved: moved + shortened, behind: shoppers.behind };
      const { sales, away, deals } = shoppers;
      tell(
        'ELECTIONS',
        `${COUNT} changes of leader, ${deals.length} deals, ${sales.length} sales, ${away} sent away; faults: ${JSON.stringify(faults)}`,
      );
      for (const each of ['', ...kinds])
        tell('ELECTIONS', `from the new leader to the first sale, ${shown(each, took)}`);
      expect(faults).toEqual({ oversold: 0, missing: 0, moved: 0, behind: 0 });
      expect(apis.map((api) => api.alive)).toEqual([true, true]);
      expect(sales.length).toBeGreaterThan(COUNT);
    },
    patience(COUNT, 40_000),
  );
});

function shown(kind: string, took: readonly { readonly kind: string; readonly milliseconds: number }[]): string {
  const times = took
    .filter((each) => kind === '' || each.kind === kind)
    .map(({ milliseconds }) => Math.round(milliseconds))
    .sort((one, other) => one - other);
  return `${kind === '' ? 'all' : kind}: p50 ${times[times.length >> 1]} ms, worst ${times.at(-1)} ms`;
}
