import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf, openLogOf } from '../../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { workDone } from '../../support/work-done.js';
import { patience, size, tell } from '../size.js';
import { DEAL, sellInto } from './sales.js';

/** A sale writes two events of the inventory: its hold and its claim. */
const SALES = size('FIRST_RESERVE', 2_100);

describe(`the first reserve after a restart, on a deal with ${SALES} sales`, () => {
  const dataDir = newDataDir();
  const folder = join(dataDir, 'views', 'snapshots');
  let key: string;

  beforeAll(
    async () => {
      const service = await RunningService.start({ dataDir });
      ({ key } = await service.newPartner('acme'));
      await service.newDeal(DEAL, { stock: 2 * SALES });
      await workDone(service);
      await service.stop();
      await sellInto(await openLogOf(dataDir), SALES);
    },
    patience(SALES, 10),
  );
  afterAll(discardLeftovers);

  const files = (): string[] => (statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder));
  const until = async (is: () => boolean): Promise<void> => {
    while (!is()) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  /** Without a snapshot, the first callers of a deal with many sales have to come again. */
  async function reserveAtLast(service: RunningService): Promise<void> {
    for (;;) {
      const call = { key, body: { deal_id: DEAL, num_bought: 1 } };
      const { status, text } = await service.ask('POST', '/purchases/reserve', call);
      if (status === 200) return;
      if (status !== 503) throw new Error(text);
    }
  }

  /**
   * Starts the service, and reserves a unit.
   * @param how it ends: a stop makes a snapshot, and a kill waits for the one that the reserve leads to
   */
  async function reserveFirst(words: string, how: 'stopped' | 'killed' = 'stopped'): Promise<void> {
    const before = new Set(files());
    const service = await RunningService.start({ dataDir, ownProcess: how === 'killed' });
    await workDone(service);
    const began = performance.now();
    await reserveAtLast(service);
    const took = performance.now() - began;
    if (how === 'killed') {
      await until(() => files().some((name) => name.endsWith('.snapshot') && !before.has(name)));
      // Those of other builds are removed afterwards.
      await until(() => files().every((name) => !before.has(name)));
      await service.kill();
    } else await service.stop();
    // Each event of the deal states its units: they must be those that all events before it lead to.
    expectSoundLog(await eventsOf(dataDir));
    tell('FIRST_RESERVE', `${words}: ${took.toFixed(1)} ms`);
    expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.[0-9a-f]{32}\.snapshot$/)]);
  }

  it(
    'counts all sales, whatever became of the snapshot',
    async () => {
      await reserveFirst('without a snapshot', 'killed');
      await reserveFirst('with one');
      const [name = ''] = files();
      const file = join(folder, name);
      const early = readFileSync(file);
      truncateSync(file, early.length >> 1);
      await reserveFirst('with a torn one');
      const torn = readFileSync(file);
      torn.set([255], torn.length - 100);
      writeFileSync(file, torn);
      await reserveFirst('with a damaged one');
      writeFileSync(file, early);
      await reserveFirst('with an earlier one');
      rmSync(folder, { recursive: true });
      await reserveFirst('with all deleted');
    },
    patience(SALES, 10),
  );

  it(
    'uses no snapshot of another build, and removes it',
    async () => {
      const [name = ''] = files();
      const other = join(folder, name.replace(/\.[0-9a-f]+\./, `.${'0'.repeat(32)}.`));
      const text = readFileSync(join(folder, name), 'latin1');
      writeFileSync(other, text.replace(/"digest":"[0-9a-f]+"/, `"digest":"${'0'.repeat(32)}"`), 'latin1');
      rmSync(join(folder, name));
      await reserveFirst('with one of another build', 'killed');
    },
    patience(SALES, 10),
  );
});
