import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { reserve } from '../../support/buying.js';
import { clockApart } from '../../support/clock-apart.js';
import { describeOnEmbedded } from '../../support/on-embedded.js';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { SmallDisk } from '../../support/small-disk.js';
import { tempFolder } from '../../support/temp-folder.js';
import { patience } from '../size.js';
import { Sellers } from './sellers.js';
import { CLIENTS, Watched } from './watched.js';

const HOUR = 3_600_000;
/** Megabytes of the disk: a minute under 64 clients writes some hundred. */
const DISK = 16 * CLIENTS;

const probe = SmallDisk.mount(1);
probe?.unmount();
const withDisk = probe === undefined ? it.skip : it;

describeOnEmbedded('G11.6: one process under load', () => {
  const folder = tempFolder();
  const clock = join(folder.path, 'clock');
  let disk: SmallDisk | undefined;
  let service: RunningService;
  let watched: Watched;
  let key: string;

  beforeAll(async () => {
    disk = SmallDisk.mount(DISK);
    service = await RunningService.start({
      ...(disk && { dataDir: disk.path }),
      env: clockApart(clock),
      ownProcess: true,
    });
    ({ key } = await service.newPartner('acme'));
    await service.newDeal('spa', { stock: null });
    await service.newDeal('last', { stock: 1 });
    const user = await service.newUser(key, 'ada@example.org');
    // The doctor is asked from another machine: on this one, the wrong clock agrees with itself.
    watched = await Watched.begin(service, new Sellers(service, { key, deal: 'spa', user }, CLIENTS));
  }, 240_000);
  afterAll(async () => {
    await watched.end();
    await service.stop();
    disk?.unmount();
    await discardLeftovers();
    folder.remove();
  });

  withDisk(
    'a full disk: an alert, the doctor’s line, and sales again once there is room',
    async () => {
      await watched.endure({
        what: 'the disk is full',
        begin: () => disk?.fill(),
        end: () => disk?.empty(),
        alert: 'HoldfastLogFailed',
        check: 'room',
        says: /^0 \w+ free of /,
        sells: false,
      });
    },
    patience(2, 60_000),
  );

  it(
    'D1: the clock an hour ahead: holds end by the clock, an alert, the doctor’s line, and sales all the while',
    async () => {
      await reserve(service, key, 'last');
      await watched.endure({
        what: 'the clock is an hour ahead',
        begin: async () => {
          writeFileSync(clock, String(HOUR));
          // The hold of the last unit has ended: another buyer gets it.
          while ((await service.ask('POST', '/purchases/reserve?deal_id=last&num_bought=1', { key })).status !== 200);
        },
        end: () => writeFileSync(clock, '0'),
        alert: 'HoldfastClockApart',
        check: 'clocks',
        says: /the service \+36\d\d\.\d s/,
        sells: true,
      });
    },
    patience(2, 60_000),
  );

  it('no sale that was acknowledged is lost', async () => {
    await watched.everySaleIsKept();
    const { text } = await service.ask('GET', '/metrics', { token: service.auditorToken });
    expect(text).toMatch(/^holdfast_units_oversold 0$/m);
  });
});
