import { afterAll, describe, expect, it } from '@jest/globals';
import { reserve } from '../../support/buying.js';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { viewsDone } from '../../support/work-done.js';
import { tellsCpu } from '../cost/cpu.js';
import { Meter } from '../cost/prices.js';
import { patience, size } from '../size.js';
import { Figures, middle } from './figures.js';
import { DEAL, folderOf, type Shop } from './history/hot-deal.js';
import type { Filled } from './history/kept-folder.js';
import { addRestarts, type Restart, restarts } from './restarts.js';

const SALES = size('SCALE', 1_000);
const IN_FULL = process.env['SCALE'] !== undefined;
const POINTS = [...new Set([Math.min(1_000, SALES), 100_000, 1_000_000, SALES])].filter((point) => point <= SALES);
/** What the CPU of a reserve is compared with. */
const FEW = Math.min(1_000, SALES / 10);
const BUYERS = 10_000;
const RESTARTS = IN_FULL ? 5 : 1;
/** Reserves in a round, and rounds: between two rounds the other service has its turn. */
const [EACH, ROUNDS] = IN_FULL ? [500, 8] : [20, 1];
/** Milliseconds for a sale to be prepared, and for the views to see it. */
const PER_SALE = 20;

const figures = new Figures('SCALE');

afterAll(discardLeftovers);

const folderWith = (sales: number): Promise<Filled<Shop>> =>
  folderOf(`one-deal-${sales}`, [{ deal: DEAL, sales, buyers: Math.min(BUYERS, sales) }]);

/** Restarts of a service on a folder with so many sales. */
async function restarted(folder: Promise<Filled<Shop>>, sales: number): Promise<readonly Restart[]> {
  const { dataDir, notes } = await folder;
  const start = () => RunningService.start({ dataDir, ownProcess: true });
  const options = { key: notes.key, deals: [DEAL], times: RESTARTS, patience: patience(sales, PER_SALE) };
  const found = await restarts(start, options);
  expect(found).toHaveLength(RESTARTS);
  return found;
}

describe('a deal that has sold for years', () => {
  it.each(POINTS)(
    'D1: sells at once after a kill and a restart, with %d sales behind it',
    async (sales) => {
      const found = await restarted(folderWith(sales), sales);
      addRestarts(figures, `${sales} sales`, found, { ceiling: 50, goal: 20 });
    },
    patience(SALES, PER_SALE),
  );

  it(
    'D1: sells at once, too, if each of its sales was to another buyer, who may buy one unit',
    async () => {
      const all = [{ deal: DEAL, sales: SALES, buyers: SALES, max_per_user: 1 }];
      const found = await restarted(folderOf(`one-each-${SALES}`, all), SALES);
      addRestarts(figures, `${SALES} buyers, max_per_user 1`, found, { ceiling: 150, goal: 50 });
    },
    patience(SALES, PER_SALE),
  );

  (tellsCpu ? it : it.skip)(
    `the CPU of a reserve does not grow with ${SALES} sales`,
    async () => {
      const [few, many] = [await measured(FEW), await measured(SALES)];
      const shares: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const [before, after] = [await few.round(), await many.round()];
        shares.push(after / before);
      }
      await few.service.stop();
      await many.service.stop();
      expect(shares.every((each) => each > 0)).toBe(true);
      figures.add({
        name: `CPU of a reserve at ${SALES} sales ÷ at ${FEW}`,
        ...({ value: middle(shares), unit: 'times', ceiling: 1.1, goal: 1 } as const),
      });
    },
    patience(SALES, PER_SALE),
  );

  (IN_FULL ? it : it.skip)('keeps to the ceilings', () => {
    figures.expectAllWithin();
  });
});

/** A service on such a folder, which has sold until its code is compiled. A round tells milliseconds of CPU per reserve. */
async function measured(sales: number): Promise<{ service: RunningService; round: () => Promise<number> }> {
  const { dataDir, notes } = await folderWith(sales);
  const service = await RunningService.start({ dataDir, ownProcess: true });
  const meter = new Meter(service.child.pid ?? 0);
  const some = async (): Promise<number> => {
    const each = await meter.of(EACH, async () => {
      await reserve(service, notes.key, DEAL);
    });
    await viewsDone(service);
    return each;
  };
  for (let round = 0; round < ROUNDS / 2; round += 1) await some();
  await meter.rest(IN_FULL ? 2_000 : 200);
  return { service, round: some };
}
