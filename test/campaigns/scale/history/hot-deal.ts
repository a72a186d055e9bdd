import { MINUTE } from '#kernel';
import { inventory } from '#purchasing/model';
import { openLogOf } from '../../../support/data-folder.js';
import { RunningService } from '../../../support/running-service.js';
import { workDone } from '../../../support/work-done.js';
import { Decisions } from './decisions.js';
import { type History, historyOf } from './history.js';
import { filledFolder, type Filled } from './kept-folder.js';
import { sellByLoop } from './sell.js';
import { writeAll } from './write.js';

export const DEAL = 'hot';
/** The sales that the command loop itself makes, at the end; of few sales only half. */
const BY_LOOP = 10_000;
/** Milliseconds between two sales, and for all of them. */
const EVERY = 50;
const HOUR = 60 * MINUTE;
/** Between the last sale that was prepared and now, so that every hold has expired. */
const MARGIN = 10 * MINUTE;
/** Units that are left when all of this is sold. */
const LEFT = 1_000_000;
/** Milliseconds per event until all views have seen it. */
const VIEWS_EACH = 5;

/** What a deal has sold. */
export interface Sold {
  readonly deal: string;
  readonly sales: number;
  /** Buyers who buy again and again, in turn. */
  readonly buyers: number;
  /** Units that each may buy. */
  readonly max_per_user?: number;
  /** The ids of users who buy; without them, ids of nobody do. */
  readonly users?: readonly string[];
}

/** What a test of a filled folder needs. */
export interface Shop {
  readonly key: string;
  /** A user who has bought nothing yet. */
  readonly user: string;
}

/** A data folder whose deals have sold this, and whose views have seen it. */
export async function folderOf(name: string, all: readonly Sold[]): Promise<Filled<Shop>> {
  return filledFolder(name, async (dataDir) => {
    const { shop, partner } = await opened(dataDir, all);
    await sold(dataDir, partner, all);
    // It is ready when its views are, which takes minutes after a million sales.
    const service = await RunningService.start({ dataDir, ownProcess: true, unready: true });
    await workDone(service, MINUTE * 10 + VIEWS_EACH * 10 * all.reduce((sum, { sales }) => sum + sales, 0));
    await service.stop();
    return shop;
  });
}

/** Opens the shop with these deals, and stops its service. */
export async function opened(dataDir: string, all: readonly Sold[]): Promise<{ shop: Shop; partner: string }> {
  const service = await RunningService.start({ dataDir, ownProcess: true });
  const { id: partner, key } = await service.newPartner('acme');
  const user = await service.newUser(key, 'ann@example.org');
  for (const { deal, sales, max_per_user } of all) {
    await service.newDeal(deal, {
      stock: sales + LEFT,
      start_at: new Date(Date.now() - 1_000 * HOUR).toISOString(),
      ...(max_per_user === undefined ? {} : { max_per_user }),
    });
  }
  await workDone(service);
  await service.stop();
  return { shop: { key, user }, partner };
}

/** Writes what the deals have sold into the log of a stopped service. */
export async function sold(dataDir: string, partner: string, all: readonly Sold[], write = writeAll): Promise<void> {
  const log = await openLogOf(dataDir);
  try {
    for (const { deal, sales, buyers, users } of all) {
      const byLoop = Math.min(BY_LOOP, Math.floor(sales / 2));
      const every = Math.max(EVERY, Math.ceil(HOUR / sales));
      const history: History = {
        ...{ deal, buyers, partner, every, users },
        sales: sales - byLoop,
        from: Date.now() - every * sales - MARGIN,
      };
      const decisions = new Decisions(`partner:${partner}`);
      await decisions.read(log, inventory, deal);
      await write(log, historyOf(decisions, history));
      await sellByLoop(log, history, sales - byLoop, byLoop);
    }
  } finally {
    await log.close();
  }
}
