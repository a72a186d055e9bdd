import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DueRow } from '#eventsourcing';
import { MINUTE, type Recorded } from '#kernel';
import { eventsOf } from '../../support/data-folder.js';
import { REDIS, REDIS_SHOWN, TestRedis } from '../../support/redis.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { tempFolder } from '../../support/temp-folder.js';
import { patience, size, tell } from '../size.js';
import { HoldShop } from './hold-shop.js';

const MOMENTS = size('REDIS', 4);
/** Units: in two deals buyers wait for other holds to expire, in the other two only the workers end them. */
const DEALS = { 'scarce-1': 20, 'scarce-2': 20, 'plenty-1': 1_000_000, 'plenty-2': 1_000_000 };
const BUYERS = 60;
/** Milliseconds: the clock moves so far that the latest holds expire within this time. */
const LAST = 2_000;
const ENDS = ['hold-released.v1', 'hold-expired.v1', 'hold-claimed.v1'];
/** Milliseconds after which what is not done once Redis stays is stuck: a slow machine needs a minute for a sweep and lost jobs. */
const HEALED = 240_000;

(REDIS === 'own' ? describe : describe.skip)(`Redis emptied and stopped, on ${REDIS_SHOWN}`, () => {
  const folder = tempFolder();
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  let redis: TestRedis;
  let shop: HoldShop;
  let isOpen = false;

  beforeAll(async () => {
    process.on('unhandledRejection', note);
    redis = await TestRedis.own();
    shop = await HoldShop.open(folder.path, redis);
    isOpen = true;
    for (const [deal, units] of Object.entries(DEALS)) await shop.newDeal(deal, units);
  });
  afterAll(async () => {
    if (isOpen) await shop.close();
    process.off('unhandledRejection', note);
    await redis.end();
    folder.remove();
  });

  it(
    `D2 D3: at ${MOMENTS} random moments while holds expire: no hold is stuck, none is released twice`,
    async () => {
      const done = { emptied: 0, stopped: 0, killed: 0 };
      let longest = 0;
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const buyers = shoppers(shop);
        await buyers.placed;
        await pause(Math.random() * LAST);
        await strike(redis, done);
        await buyers.gone;
        // Every other time only the sweep helps: moving the clock would make the workers look at once.
        if (moment % 2 === 1) longest = Math.max(longest, await healed(shop));
      }
      shop.forward(6 * MINUTE);
      await healed(shop);
      await shop.close();
      isOpen = false;

      const events = await eventsOf(folder.path);
      expectSoundLog(events);
      const { placed, ends } = holdsOf(events);
      expect(placed.size).toBeGreaterThan(MOMENTS * 20);
      const wrong = [...placed].filter((hold) => ends.filter((end) => end.hold === hold).length !== 1);
      expect(wrong).toEqual([]);
      expect(ends.length).toBe(placed.size);
      expect(unhandled).toEqual([]);
      // One line from each worker when it goes and one when it comes; and errors of lost jobs, ten seconds apart.
      expect(shop.logged.warnings.length).toBeLessThanOrEqual(4 * (done.stopped + done.killed));
      const count = (type: string): number => ends.filter((end) => end.type === type).length;
      tell(
        'REDIS',
        `on ${REDIS_SHOWN}: emptied ${done.emptied} times, stopped ${done.stopped}, killed ${done.killed}; ` +
          `${placed.size} holds: ${count('hold-expired.v1')} expired, ${count('hold-released.v1')} released, ` +
          `${count('hold-claimed.v1')} claimed; all done within ${(longest / 1_000).toFixed(1)} s; ` +
          `${shop.logged.warnings.length} warnings, ${shop.logged.errors.length} errors told; ${events.length} events`,
      );
    },
    patience(MOMENTS, 20_000),
  );
});

/** Buyers who hold units; some claim or release about when the holds expire. */
function shoppers(shop: HoldShop): { readonly placed: Promise<void>; readonly gone: Promise<void> } {
  const deals = Object.keys(DEALS);
  const holds: { readonly deal: string; readonly row: DueRow }[] = [];
  const place = async (index: number): Promise<void> => {
    const deal = deals[index % deals.length] ?? '';
    const row = await shop.place(deal);
    if (row !== undefined) holds.push({ deal, row });
  };
  const placed = (async () => {
    await Promise.all(Array.from({ length: BUYERS }, (_, index) => place(index)));
    shop.forward(5 * MINUTE - LAST);
    // The projector tells it a moment later.
    shop.noticed(holds.map(({ row }) => row));
  })();
  const buy = async (deal: string, hold: string): Promise<void> => {
    const choice = Math.random();
    await pause(Math.random() * 1.2 * LAST);
    if (choice < 0.2) await shop.claim(deal, hold);
    else if (choice < 0.3) await shop.release(deal, hold);
  };
  const gone = placed.then(async () => {
    await Promise.all(holds.map(({ deal, row }) => buy(deal, row.key)));
  });
  return { placed, gone };
}

/** Empties Redis, stops it or kills it, and brings it back after a while. */
async function strike(redis: TestRedis, done: { emptied: number; stopped: number; killed: number }): Promise<void> {
  const choice = Math.random();
  if (choice < 0.5) {
    await redis.flushAll();
    done.emptied += 1;
    return;
  }
  const [what, signal] = choice < 0.75 ? (['stopped', 'SIGTERM'] as const) : (['killed', 'SIGKILL'] as const);
  await redis.stop(signal);
  done[what] += 1;
  await pause(Math.random() * 2_000);
  await redis.startAgain();
}

/** Waits until nothing due is left. @returns the milliseconds that it took */
async function healed(shop: HoldShop): Promise<number> {
  const start = Date.now();
  for (let open = await shop.open(); open > 0; open = await shop.open()) {
    if (Date.now() > start + HEALED) throw new Error(`${open} holds are stuck`);
    await pause(50);
  }
  return Date.now() - start;
}

function holdsOf(events: readonly Recorded[]): {
  readonly placed: ReadonlySet<string>;
  readonly ends: readonly { readonly hold: string; readonly type: string }[];
} {
  const inventory = events.filter(({ stream }) => stream.startsWith('inventory-'));
  const idOf = ({ data }: Recorded): string => {
    const { reservation_id, purchase_id } = data as { reservation_id?: string; purchase_id?: string };
    return reservation_id ?? purchase_id ?? '';
  };
  return {
    placed: new Set(inventory.filter(({ type }) => type === 'hold-placed.v1').map(idOf)),
    ends: inventory.filter(({ type }) => ENDS.includes(type)).map((event) => ({ hold: idOf(event), type: event.type })),
  };
}
