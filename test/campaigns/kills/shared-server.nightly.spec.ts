import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeAlone } from '../../support/alone.js';
import { reserve } from '../../support/buying.js';
import { shareEngines } from '../../support/cluster.js';
import { OtherApplication } from '../../support/eventstoredb/other-application.js';
import { RunningDouble } from '../../support/running-double.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { patience, size, tell } from '../size.js';
import { killUnderLoad } from './campaign.js';

const KILLS = size('KILLS', 3);
/** Events that another application wrote before, and how many it writes per second meanwhile. */
const [BEFORE, RATE] = [size('FOREIGN_BEFORE', 9_000), size('FOREIGN', 150)];

const READS = 100;

/** `npm run test:cluster` runs the campaign itself on the servers that all specs share. */

describeAlone('kill -9 under load, on an EventStoreDB that another application writes to', () => {
  const dataDir = newDataDir();
  const given = process.env['EVENTSTORE_URL'];
  let double: RunningDouble | undefined;
  let other: OtherApplication;

  beforeAll(
    async () => {
      if (given === undefined) double = await RunningDouble.start();
      const url = given ?? double?.url ?? '';
      // Without a prefix the server filters less; a given server may hold other data without one.
      shareEngines({ eventStoreUrl: url, ...(given === undefined ? { prefix: '' } : {}) });
      other = new OtherApplication(url);
      await other.write(BEFORE);
      other.goOn(RATE);
    },
    patience(BEFORE, 10),
  );
  afterAll(async () => {
    await other.stop();
    await discardLeftovers();
    await double?.kill();
  });

  it(
    `D1 D10: after each of ${KILLS} kills everything that was answered is there, and all adds up`,
    async () => {
      await killUnderLoad(dataDir, KILLS);
      expect(other.failure).toBeUndefined();
      expect(other.written).toBeGreaterThan(BEFORE);
      tell('KILLS', `${other.written} events of another application, ${BEFORE} of them before`);
    },
    patience(KILLS, 60_000),
  );

  it('the service reads its own last write, and stays ready, while the other application writes', async () => {
    const service = await RunningService.start({ dataDir });
    const { key } = await service.newPartner('reader');
    await service.newDeal('read', { stock: null });
    const before = other.written;
    for (let read = 0; read < READS; read += 1) {
      const { id } = await reserve(service, key, 'read');
      const found = (await service.look(`/purchases/${id}`, key)).status;
      const { status, text } = await service.health();
      expect({ found, status, told: status === 200 ? '' : text }).toEqual({ found: 200, status: 200, told: '' });
      await pause(10);
    }
    expect(other.written).toBeGreaterThan(before);
    await service.stop();
  });
});
