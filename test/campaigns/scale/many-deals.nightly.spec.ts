import { afterAll, describe, expect, it } from '@jest/globals';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { patience, size } from '../size.js';
import { Figures, middle } from './figures.js';
import { folderOf } from './history/hot-deal.js';
import { addRestarts, restarts } from './restarts.js';

const DEALS = size('SCALE_DEALS', 4);
const IN_FULL = process.env['SCALE_DEALS'] !== undefined;
const EACH = IN_FULL ? 1_000 : 50;
/** Deals that are reserved after a restart. */
const ASKED = Math.min(DEALS, 50);
const RESTARTS = IN_FULL ? 3 : 1;
/** Milliseconds for a sale to be prepared, and for the views to see it. */
const PER_SALE = 20;

const figures = new Figures('SCALE_DEALS');

afterAll(discardLeftovers);

describe(`${DEALS} deals with ${EACH} sales each`, () => {
  const deals = Array.from({ length: DEALS }, (_, number) => `deal-${number}`);

  it(
    'D1: sell at once after a kill and a restart',
    async () => {
      const all = deals.map((deal) => ({ deal, sales: EACH, buyers: EACH / 5 }));
      const { dataDir, notes } = await folderOf(`deals-${DEALS}-${EACH}`, all);
      const start = () => RunningService.start({ dataDir, ownProcess: true });
      const asked = deals.filter((_, number) => number % Math.ceil(DEALS / ASKED) === 0);
      const options = { key: notes.key, deals: asked, times: RESTARTS, patience: patience(DEALS * EACH, PER_SALE) };
      const found = await restarts(start, options);
      expect(found).toHaveLength(RESTARTS);
      const name = `${DEALS} deals with ${EACH} sales`;
      const limits = { ceiling: 50, goal: 20 };
      addRestarts(figures, name, found, limits);
      const others = middle(found.flatMap((each) => each.first.slice(1)));
      figures.add({ name: `${name}: first reserve of each other deal`, value: others, unit: 'ms', ...limits });
    },
    patience(DEALS * EACH, PER_SALE),
  );

  (IN_FULL ? it : it.skip)('keep to the ceilings', () => {
    figures.expectAllWithin();
  });
});
