import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { buy } from '../../support/buying.js';
import { memoryOf, memoryToldIn, type MemoryTold } from '../../support/memory-told.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { patience, size, tell } from '../size.js';

/** For how long, in seconds, and by how many clients. */
const SECONDS = size('MEMORY', 4);
const CLIENTS = 12;
/** Megabytes of heap, with which the caches are full soon. */
const HEAP = 256;
/** How often the memory is measured. */
const MEASURED = 8;
/** Shorter runs only show that the campaign works: the caches are not full yet. */
const FULL = 300;
const MOST_GROWTH = 1.05;
const MEBIBYTE = 1024 * 1024;

describe(`${SECONDS} s of new users, deals and keys`, () => {
  afterAll(discardLeftovers);

  // Pictures and pages once kept a slab of 8 KiB each: 351 MB of buffers after eight minutes, and growing.
  it(
    'leave memory as it was in their second half',
    async () => {
      const dataDir = newDataDir();
      const file = join(newDataDir(), 'memory.json');
      const { NODE_OPTIONS, ...told } = memoryToldIn(file);
      const env = { ...told, NODE_OPTIONS: `${NODE_OPTIONS} --max-old-space-size=${HEAP}` };
      const service = await RunningService.start({ dataDir, ownProcess: true, env });
      let made = 0;
      const until = performance.now() + 1_000 * SECONDS;
      const client = async (): Promise<void> => {
        while (performance.now() < until) await round(service, (made += 1));
      };
      const clients = Array.from({ length: CLIENTS }, client);
      const used: MemoryTold[] = [];
      for (let nth = 1; nth <= MEASURED; nth += 1) {
        const at = until - (1_000 * SECONDS * (MEASURED - nth)) / MEASURED;
        await new Promise((done) => setTimeout(done, Math.max(0, at - performance.now())));
        used.push(await memoryOf(service, file));
      }
      await Promise.all(clients);
      await service.stop();
      for (const name of ['arrayBuffers', 'rss', 'heapUsed'] as const)
        tell('MEMORY', `${name}, MiB: ${used.map((each) => Math.round(each[name] / MEBIBYTE)).join(', ')}`);
      tell('MEMORY', `${made} rounds`);
      expect(made).toBeGreaterThan(0);
      expect(used).toHaveLength(MEASURED);
      if (SECONDS < FULL) return;
      const [middle, last] = [used[MEASURED / 2 - 1], used[MEASURED - 1]];
      for (const name of ['arrayBuffers', 'rss'] as const)
        expect(last?.[name]).toBeLessThanOrEqual(MOST_GROWTH * (middle?.[name] ?? 0));
    },
    patience(SECONDS, 2_000),
  );
});

/** A new partner with a deal and a user, who buys, looks at their coupons and lists deals. */
async function round(service: RunningService, nth: number): Promise<void> {
  const { id, key } = await service.newPartner(`partner-${nth}`);
  await service.operate('POST', `/partners/${id}/keys`);
  await service.newDeal(`deal-${nth}`);
  const user = await service.newUser(key, `user-${nth}@example.com`);
  await buy(service, key, `deal-${nth}`, user);
  for (const path of [`/users/${user}/purchases`, '/regions/testland/deals?per_page=10']) await service.look(path, key);
}
