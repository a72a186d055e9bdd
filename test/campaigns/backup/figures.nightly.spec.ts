import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { LoadGenerator } from '../../bench/load/load-generator.js';
import type { Load, LoadResult } from '../../bench/load/visit.js';
import { filesOf, holdfast, plainly } from '../../support/backups.js';
import { openLogOf } from '../../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { ON_DISK } from '../../support/temp-folder.js';
import { workDone } from '../../support/work-done.js';
import { DEAL, sellInto } from '../scale/sales.js';
import { patience, size, tell } from '../size.js';

const EVENTS = size('BACKUP', 6_000);
/** A sale of one unit writes its hold, reservation, claim of both, purchase and coupon. */
const PER_SALE = 6;
const CLIENTS = 64;
/** Seconds of sales without a backup, before and after it. */
const ALONE = Math.max(1, Math.min(20, EVENTS / 20_000));
const IS_FULL = EVENTS >= 1_000_000;

describe(`G12.2: a backup of ${EVENTS} events beside ${CLIENTS} clients`, () => {
  const load = new LoadGenerator();
  afterAll(async () => {
    load.stop();
    await discardLeftovers();
  });

  it(
    'and its restore',
    async () => {
      const dataDir = newDataDir(ON_DISK);
      const env = { PUBLIC_URL: 'https://deals.example.com' };
      const first = await RunningService.start({ dataDir, env, ownProcess: true });
      const { key } = await first.newPartner('acme');
      await first.newDeal(DEAL, { stock: EVENTS });
      await first.newDeal('tram', { stock: 1_000_000 });
      await workDone(first);
      await first.stop();
      await sellInto(await openLogOf(dataDir), Math.ceil(EVENTS / PER_SALE));

      const service = await RunningService.start({ dataDir, env, ownProcess: true });
      await workDone(service, patience(EVENTS, 5));
      const user = await service.newUser(key, 'grace@example.com');
      const sell = (seconds: number): Promise<LoadResult> => load.run(sales(service, { key, user, seconds }));
      await sell(ALONE);
      const alone = [await sell(ALONE)];

      const backup = join(newDataDir(ON_DISK), 'backup');
      const began = performance.now();
      let took = 0;
      const taking = holdfast(['backup', backup], { DATA_DIR: dataDir, HOLDFAST_URL: service.url }).then((ran) => {
        took = (performance.now() - began) / 1_000;
        return ran;
      });
      const beside: LoadResult[] = [];
      while (took === 0) beside.push(await sell(ALONE));
      expect(await taking).toMatchObject({ code: 0 });
      alone.push(await sell(ALONE));
      const again = performance.now();
      expect(await holdfast(['backup', backup], { DATA_DIR: dataDir, HOLDFAST_URL: service.url })).toMatchObject({
        code: 0,
      });
      const next = (performance.now() - again) / 1_000;
      await service.stop();

      const p99 = (of: readonly LoadResult[]): number => of.reduce((sum, each) => sum + each.p99, 0) / of.length;
      const bytes = filesOf(backup).reduce((sum, file) => sum + statSync(file).size, 0);
      const shown = (of: readonly LoadResult[]): string => of.map((each) => each.p99.toFixed(1)).join(', ');
      tell(
        'BACKUP',
        `backup of ${EVENTS} events and more: ${took.toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB; the next one ${next.toFixed(1)} s`,
      );
      tell(
        'BACKUP',
        `p99 of a sale: ${shown(beside)} ms beside it, ${shown(alone)} ms alone: ${(p99(beside) / p99(alone)).toFixed(2)} x`,
      );

      const restored = join(newDataDir(ON_DISK), 'data');
      const from = performance.now();
      expect(await holdfast(['restore', backup, ...plainly(dataDir)], { DATA_DIR: restored })).toMatchObject({
        code: 0,
      });
      const written = (performance.now() - from) / 1_000;
      const started = await RunningService.start({ dataDir: restored, env, ownProcess: true });
      const ready = (performance.now() - from) / 1_000;
      const verified = await started.ask('GET', '/auditors/verification', { token: started.auditorToken });
      const whole = (performance.now() - from) / 1_000;
      expect(verified.text).toContain('"findings":0');
      await started.stop();
      tell(
        'BACKUP',
        `restore: ${written.toFixed(1)} s to write, ${ready.toFixed(1)} s until ready, ${whole.toFixed(1)} s until verified`,
      );
      if (!IS_FULL) return;
      expect(took).toBeLessThan(60);
      expect(whole).toBeLessThan(180);
    },
    patience(EVENTS, 10),
  );
});

/** Sales of one unit: a hold and its claim. */
function sales(
  service: RunningService,
  { key, user, seconds }: { readonly key: string; readonly user: string; readonly seconds: number },
): Load {
  const headers = [`x-api-key: ${key}`, 'content-type: application/json'];
  const body = (of: object): string => JSON.stringify(of);
  return {
    ports: [Number(new URL(service.url).port)],
    connections: CLIENTS,
    seconds,
    visit: {
      requests: [
        { method: 'POST', path: '/purchases/reserve', headers, body: body({ deal_id: 'tram', num_bought: 1 }) },
        { method: 'PUT', path: '/purchases/{id}/claim', headers, body: body({ user_id: user }) },
      ],
    },
  };
}
