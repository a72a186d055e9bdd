import { afterAll, describe, expect, it } from '@jest/globals';
import { eventsOf, viewRowsOf, openLogOf } from '../../support/data-folder.js';
import { naiveFold } from '../../support/naive-fold.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { DEAL, sellInto } from '../scale/sales.js';
import { patience, size, tell } from '../size.js';
import { rebuildUnderLoad, type Engines } from './campaign.js';

const ROUNDS = size('REBUILDS', 2);
/** Events in the log before, six per sale. */
const EVENTS = size('REBUILD_EVENTS', 12_000);
const SALES = Math.ceil(EVENTS / 6);

/** The engines of this run: files, or servers under a cluster. Their log is long enough for a rebuild to take a while. */
function engines(): Engines {
  const dataDir = newDataDir();
  return {
    async start() {
      const before = await RunningService.start({ dataDir });
      await before.newDeal(DEAL, { stock: SALES });
      await before.stop();
      await sellInto(await openLogOf(dataDir), SALES);
      return RunningService.start({ dataDir });
    },
    rows: () => viewRowsOf(dataDir),
    folded: async () => naiveFold(await eventsOf(dataDir)),
  };
}

describe('rebuilding projections under load', () => {
  afterAll(discardLeftovers);

  it(
    `G6: ${ROUNDS} rounds: no read fails, and in the end every view agrees with the log`,
    async () => {
      const { seen, rebuilt, cancelled, mostLag, fastest } = await rebuildUnderLoad(engines(), ROUNDS);
      expect(seen.purchases).toBeGreaterThan(ROUNDS);
      expect(seen.reads).toBeGreaterThan(10 * ROUNDS);
      tell(
        'REBUILDS',
        `${rebuilt} rebuilds promoted, ${cancelled} cancelled, at up to ${fastest} events/s; meanwhile ` +
          `${seen.purchases} purchases and ${seen.reads} reads, none failed; a live view lagged ${mostLag} events at most`,
      );
    },
    patience(EVENTS, 5) + patience(ROUNDS, 60_000),
  );
});
