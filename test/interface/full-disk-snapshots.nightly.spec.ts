import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { canTrace, faultyCalls } from '../campaigns/power/strace.js';
import { DEAL, sellInto } from '../campaigns/scale/sales.js';
import { eventsOf, openLogOf } from '../support/data-folder.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { discardLeftovers, newDataDir, RunningService } from '../support/running-service.js';
import { SmallDisk } from '../support/small-disk.js';
import { expectSoundLog } from '../support/sound-log.js';

/** Each sale writes two events of the deal, and a snapshot is due after 4 000. */
const SALES = 2_100;
/** Reserves while a snapshot cannot be written. */
const RESERVES = 20;
/** Of these megabytes, a snapshot must leave more free than there are. */
const SMALL = 60;
const PATIENCE = 240_000;
const CANNOT = 'a snapshot cannot be written';

const probe = SmallDisk.mount(1);
probe?.unmount();

describeOnEmbedded('no room for a snapshot of a deal that has sold much', () => {
  afterAll(discardLeftovers);

  /** Fills a folder. @returns the key of a partner */
  async function filled(dataDir: string): Promise<string> {
    const service = await RunningService.start({ dataDir });
    const { key } = await service.newPartner('acme');
    await service.newDeal(DEAL, { stock: 2 * SALES });
    await service.stop();
    await sellInto(await openLogOf(dataDir), SALES);
    return key;
  }
  const folderOf = (dataDir: string): string => join(dataDir, 'views', 'snapshots');
  const files = (dataDir: string): readonly string[] =>
    existsSync(folderOf(dataDir)) ? readdirSync(folderOf(dataDir)) : [];

  /** Reserves, one after another. The first callers of a deal without a snapshot may have to come again. */
  async function reserveAll(service: RunningService, key: string): Promise<void> {
    const reserve = (): ReturnType<RunningService['ask']> =>
      service.ask('POST', '/purchases/reserve', { key, body: { deal_id: DEAL, num_bought: 1 } });
    while ((await reserve()).status === 503);
    for (let nth = 0; nth < RESERVES; nth += 1) {
      const { status, text } = await reserve();
      expect({ status, text }).toMatchObject({ status: 200 });
    }
  }

  (probe === undefined ? it.skip : it)(
    'A8 D1: stops no sale where the disk is nearly full, and the next start sells on',
    async () => {
      const disk = SmallDisk.mount(SMALL);
      if (disk === undefined) return;
      try {
        const key = await filled(disk.path);
        for (let starts = 0; starts < 2; starts += 1) {
          const service = await RunningService.start({ dataDir: disk.path });
          await reserveAll(service, key);
          await service.prints(CANNOT);
          await service.stop();
          expect(files(disk.path)).toEqual([]);
        }
        expectSoundLog(await eventsOf(disk.path));
      } finally {
        disk.unmount();
      }
    },
    PATIENCE,
  );

  (canTrace() ? it : it.skip)(
    'A8 D1: stops no sale if it ends while the snapshot is written, of which nothing stays',
    async () => {
      const dataDir = newDataDir();
      const key = await filled(dataDir);
      const first = await RunningService.start({ dataDir });
      await reserveAll(first, key);
      await first.stop();
      const [file = ''] = files(dataDir);
      expect(files(dataDir)).toEqual([expect.stringMatching(/\.snapshot$/)]);
      rmSync(join(folderOf(dataDir), file));

      const second = await RunningService.start({ dataDir, ownProcess: true });
      const beside = join(folderOf(dataDir), `${file}.new`);
      // The first bytes still fit.
      const stop = await faultyCalls(second.child.pid ?? 0, beside, 'write,pwrite64,writev:error=ENOSPC:when=2+');
      await reserveAll(second, key);
      await second.prints(CANNOT);
      await reserveAll(second, key);
      expect(files(dataDir)).toEqual([]);
      await stop();
      await second.stop();
      // There is room again, so the stop makes one.
      expect(files(dataDir)).toEqual([file]);
      expectSoundLog(await eventsOf(dataDir));
    },
    PATIENCE,
  );
});
