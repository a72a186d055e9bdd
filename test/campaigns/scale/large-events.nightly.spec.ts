import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { catalogue, deal } from '#catalogue/model';
import { Codec, CommandLoop, newContext, SystemClock } from '#eventsourcing';
import { DAY } from '#kernel';
import { purchasing } from '#purchasing/model';
import { openLogOf, rowsOfView } from '../../support/data-folder.js';
import { openGuard } from '../../support/open-guard.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { workDone } from '../../support/work-done.js';
import { patience, size, tell } from '../size.js';

/** Megabytes of events, and of heap. */
const MEGABYTES = size('LARGE_EVENTS', 106);
const HEAP = 128;
/** A deal with many places and long opening hours: somewhat less than one append may have. */
const PLACES = 1_000;
const NOTE = 'x'.repeat(200);
const PER_DEAL = 0.39;
const DEALS = Math.ceil(MEGABYTES / PER_DEAL);
const TOGETHER = 8;

describe(`a process with a heap of ${HEAP} MB and ${MEGABYTES} MB of large events`, () => {
  const dataDir = newDataDir();
  beforeAll(
    async () => {
      const service = await RunningService.start({ dataDir, ownProcess: true });
      await service.operate('PUT', '/regions/here', { name: 'here', time_zone: 'America/New_York' });
      await service.stop();
      await writeDeals();
    },
    patience(DEALS, 100),
  );
  afterAll(discardLeftovers);

  async function writeDeals(): Promise<void> {
    const log = await openLogOf(dataDir);
    const clock = new SystemClock(Date.now);
    const loop = new CommandLoop({
      log,
      codec: new Codec([...catalogue.events, ...purchasing.events]),
      clock,
      followers: [...catalogue.followers, ...purchasing.followers],
      limits: { patience: DAY },
      machine: thisMachine,
      guard: openGuard(),
    });
    const address = { region: null, postal_code: null, street: null, locality: null, country: null };
    const place = { address: { ...address, latitude: 40.5, longitude: -74.5 }, hours: NOTE, phone: '' };
    const attributes = { region_id: 'here', image: '/images/deal.jpg', current_price: 1_000, value: 2_000 };
    const times = { start_at: clock.now() - DAY, end_at: clock.now() + DAY };
    const changes = { title: 'Large', ...attributes, ...times, locations: Array.from({ length: PLACES }, () => place) };
    let next = 0;
    const writer = async (): Promise<void> => {
      while (next < DEALS) {
        const slug = `large-${next++}`;
        const context = newContext({ clock, randomness: thisMachine.randomness }, 'operator:ann');
        await loop.execute(deal, slug, { type: 'put', deal_id: slug, changes, arrives: 'approved' }, context);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, writer));
    await loop.close();
    await log.close();
  }

  // Readers once took 5000 events at a time, whatever their size, and the process ended for want of memory.
  it(
    'is ready, and has seen all of them',
    async () => {
      const began = performance.now();
      const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
      const service = await RunningService.start({ dataDir, ownProcess: true, env });
      await workDone(service);
      tell('LARGE_EVENTS', `${DEALS} deals: ready after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
      await service.stop();
      expect(await rowsOfView(dataDir, 'deals')).toHaveLength(DEALS);
    },
    patience(DEALS, 100),
  );
});
