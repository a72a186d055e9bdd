import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { eventsOf } from '../support/data-folder.js';
import { keepingTheLog } from '../support/log-kept.js';
import { REDIS, TestRedis } from '../support/redis.js';
import { discardLeftovers, newDataDir, RunningService } from '../support/running-service.js';

describeAlone('what lies beside the log', () => {
  afterAll(discardLeftovers);

  it('a service refuses an older copy of the log in its data folder until an operator accepts it', async () => {
    const dataDir = newDataDir();
    const file = join(dataDir, 'events.db');
    const first = await RunningService.start({ dataDir });
    await first.newDeal('tram', { stock: 10 });
    const { key } = await first.newPartner('acme');
    await first.stop();
    copyFileSync(file, `${file}.copy`);
    const later = await RunningService.start({ dataDir });
    const reserve = (service: RunningService, units: number): Promise<number> =>
      service.ask('POST', `/purchases/reserve?deal_id=tram&num_bought=${units}`, { key }).then(({ status }) => status);
    expect(await reserve(later, 4)).toBe(200);
    await later.stop();
    copyFileSync(`${file}.copy`, file);

    const output = await RunningService.start({ dataDir }).then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    expect(output).toContain('events.db: The event log ends before the last event that this installation knows, ');
    const code = /ACCEPT=([0-9a-f]{12})\b/.exec(output)?.[1] ?? 'it named none';
    const accepted = await keepingTheLog(
      () => eventsOf(dataDir),
      () => RunningService.start({ dataDir, env: { ACCEPT: code } }),
    );
    expect(await reserve(accepted, 10)).toBe(200);
    await accepted.stop();
    const next = await RunningService.start({ dataDir });
    expect((await next.health()).status).toBe(200);
    await next.discard();
  });

  (REDIS === 'none' ? it.skip : it)(
    'two installations share a Redis without harm',
    async () => {
      const redis = await TestRedis.start();
      const env = { REDIS_URL: redis.url };
      const services = [await RunningService.start({ env }), await RunningService.start({ env })];
      const holds = services.map(async (service, index) => {
        await service.newDeal('tram', { stock: 1 });
        const { key } = await service.newPartner('acme');
        const body = { deal_id: 'tram', num_bought: 1 };
        expect((await service.ask('POST', '/purchases/reserve', { key, body })).status).toBe(200);
        // The first installation's hold expires, the other one's does not.
        if (index === 0) await service.forward(301);
        return async (): Promise<number> => (await service.look('/deals/tram?region=testland', key)).body.deal.num_left;
      });
      const left = await Promise.all(holds);
      while ((await left[0]?.()) !== 1) await pause(100);
      await pause(2_000);
      expect(await Promise.all(left.map((look) => look()))).toEqual([1, 0]);
      for (const service of services) {
        expect((await service.health()).status).toBe(200);
        await service.discard();
      }
      await redis.end();
    },
    90_000,
  );
});
