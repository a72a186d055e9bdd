import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { Codec, CommandLoop, newContext, SystemClock } from '#eventsourcing';
import { inventory } from '#purchasing';
import { purchasing } from '#purchasing/model';
import { eventsOf, viewRowsOf } from '../../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { workDone } from '../../support/work-done.js';
import { patience, size, tell } from '../size.js';
import { DEAL, reserveAndClaim } from './sales.js';

const EVENTS = size('RESTART', 6_000);
/** A sale of one unit writes its hold, reservation, claim of both, purchase and coupon. */
const PER_SALE = 6;
const SALES = Math.ceil(EVENTS / PER_SALE);
const BUYERS = 200;

describe(`a restart with ${EVENTS} events`, () => {
  const dataDir = newDataDir();
  beforeAll(
    async () => {
      const service = await RunningService.start({ dataDir });
      await service.newDeal(DEAL, { stock: SALES });
      await workDone(service);
      await service.stop();
      await sell(dataDir);
      expectSoundLog(await eventsOf(dataDir));
    },
    patience(EVENTS, 5),
  );
  afterAll(discardLeftovers);

  /** Seconds from the start of the process until it is ready, and until its views have seen all. */
  async function restart(): Promise<{ ready: string; level: string }> {
    const began = performance.now();
    const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(1);
    const service = await RunningService.start({ dataDir });
    const ready = seconds();
    await workDone(service);
    const level = seconds();
    await service.stop();
    return { ready, level };
  }

  it(
    'views that follow, and views that are built anew, are the same row for row',
    async () => {
      const behind = await restart();
      const before = viewRowsOf(dataDir);
      expect(before.get('coupons')).toHaveLength(SALES);
      expect(before.get('purchases')).toHaveLength(SALES);

      const again = await restart();
      expect(viewRowsOf(dataDir)).toEqual(before);

      rmSync(join(dataDir, 'views'), { recursive: true });
      const anew = await restart();
      const after = viewRowsOf(dataDir);
      expect([...after.keys()]).toEqual([...before.keys()]);
      for (const [view, rows] of after) expect({ view, rows }).toEqual({ view, rows: before.get(view) });
      tell(
        'RESTART',
        `${SALES * PER_SALE} events: ready after ${again.ready} s with views that are up to date; ` +
          `with views that have seen none of them after ${behind.ready} s (all seen: ${behind.level} s); ` +
          `with the views deleted after ${anew.ready} s (all seen: ${anew.level} s)`,
      );
    },
    patience(EVENTS, 5),
  );
});

/** Sells every unit, straight through a command loop on the folder's log. */
async function sell(dataDir: string): Promise<void> {
  const clock = new SystemClock();
  const log = await EmbeddedLog.open({ file: join(dataDir, 'events.db') });
  const loop = new CommandLoop({
    log,
    codec: new Codec(purchasing.events),
    clock,
    followers: purchasing.followers,
    limits: { patience: 600_000 },
  });
  let next = 0;
  const buyer = async (): Promise<void> => {
    while (next < SALES) {
      for (const command of reserveAndClaim(next++, clock.now())) {
        await loop.execute(inventory, DEAL, command, newContext(clock, 'partner:acme'));
      }
    }
  };
  await Promise.all(Array.from({ length: BUYERS }, buyer));
  await loop.close();
  await log.close();
}
