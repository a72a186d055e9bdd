import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeAlone } from '../../support/alone.js';
import { clockApart } from '../../support/clock-apart.js';
import { shareEngines } from '../../support/cluster.js';
import { RunningDouble } from '../../support/running-double.js';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { tempFolder } from '../../support/temp-folder.js';
import { patience } from '../size.js';
import { Sellers } from './sellers.js';
import { CLIENTS, Watched } from './watched.js';

const HOUR = 3_600_000;
/** Milliseconds within which sales go on when the clock is right again. A busy machine is slower by a multiple. */
const SOON = process.env['FAULTS'] === undefined ? 30_000 : 5_000;

describeAlone('G11.6: a process under load whose log is on a server', () => {
  const folder = tempFolder();
  const clock = join(folder.path, 'clock');
  let double: RunningDouble;
  let service: RunningService;
  let watched: Watched;

  beforeAll(async () => {
    double = await RunningDouble.start('--port=0');
    shareEngines({ eventStoreUrl: double.url });
    service = await RunningService.start({ env: clockApart(clock), ownProcess: true });
    const { key } = await service.newPartner('acme');
    await service.newDeal('spa', { stock: null });
    const user = await service.newUser(key, 'ada@example.org');
    const sellers = new Sellers(service, { key, deal: 'spa', user }, CLIENTS);
    watched = await Watched.begin(service, sellers, { EVENTSTORE_URL: double.url, ...clockApart(clock) });
  }, 240_000);
  afterAll(async () => {
    await watched.end();
    await service.stop();
    await double.kill();
    await discardLeftovers();
    folder.remove();
  });

  it(
    'the server gone and back: an alert, the doctor’s line, and sales again',
    async () => {
      const { meanwhile } = await watched.endure({
        what: 'EventStoreDB is gone',
        begin: () => double.control.stop(),
        end: () => double.control.start(),
        alert: 'HoldfastServerAway',
        check: 'event log',
        says: /does not answer/,
        sells: false,
      });
      // Each client may have had one answer on its way.
      expect(meanwhile).toBeLessThanOrEqual(CLIENTS);
    },
    patience(2, 60_000),
  );

  it.each([HOUR, -HOUR])(
    'D2: the clock off by %i ms: it refuses, an alert, the doctor’s line, and sales within 5 s after it is right',
    async (by) => {
      const { until } = await watched.endure({
        what: `the clock is off by ${by / HOUR} h`,
        begin: () => writeFileSync(clock, String(by)),
        end: () => writeFileSync(clock, '0'),
        alert: 'HoldfastClockOff',
        check: 'findings',
        says: /: This machine’s clock is 36\d\d s (ahead of|behind) that of the event log’s server/,
        sells: false,
      });
      expect(until).toBeLessThan(SOON);
    },
    patience(2, 60_000),
  );

  it('no sale that was acknowledged is lost', () => watched.everySaleIsKept(), patience(16, 60_000));
});
