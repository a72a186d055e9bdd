import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf, openLogOf, viewRowsOf } from '../../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { workDone } from '../../support/work-done.js';
import { patience, size, tell } from '../size.js';
import { DEAL, sellInto } from './sales.js';

const EVENTS = size('RESTART', 6_000);
/** A sale of one unit writes its hold, reservation, claim of both, purchase and coupon. */
const PER_SALE = 6;
const SALES = Math.ceil(EVENTS / PER_SALE);

describe(`a restart with ${EVENTS} events`, () => {
  const dataDir = newDataDir();
  beforeAll(
    async () => {
      const service = await RunningService.start({ dataDir, ownProcess: true });
      await service.newDeal(DEAL, { stock: SALES });
      await workDone(service);
      await service.stop();
      await sellInto(await openLogOf(dataDir), SALES);
      expectSoundLog(await eventsOf(dataDir));
    },
    patience(EVENTS, 5),
  );
  afterAll(discardLeftovers);

  /** Seconds from the start of the process until it is ready, and until its views have seen everything. */
  async function restart(): Promise<{ ready: string; level: string }> {
    const began = performance.now();
    const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(1);
    const service = await RunningService.start({ dataDir, ownProcess: true });
    const ready = seconds();
    await workDone(service);
    const level = seconds();
    await service.stop();
    return { ready, level };
  }

  it(
    'gives views that follow and views that are rebuilt, row by row the same',
    async () => {
      const behind = await restart();
      const before = await viewRowsOf(dataDir);
      expect(before.get('coupons')).toHaveLength(SALES);
      expect(before.get('purchases')).toHaveLength(SALES);

      const again = await restart();
      expect(await viewRowsOf(dataDir)).toEqual(before);

      rmSync(join(dataDir, 'views'), { recursive: true });
      const anew = await restart();
      const after = await viewRowsOf(dataDir);
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
