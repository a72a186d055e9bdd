import { afterAll, describe, expect, it } from '@jest/globals';
import { inventory } from '#purchasing/model';
import { openLogOf } from '../../support/data-folder.js';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { workDone } from '../../support/work-done.js';
import { patience, size, tell } from '../size.js';
import { adding } from './history/codes.js';
import { Decisions } from './history/decisions.js';
import { opened } from './history/hot-deal.js';
import { filledFolder } from './history/kept-folder.js';
import { writeAll } from './history/write.js';

/** Codes of each deal. */
const CODES = size('SCALE_CODES', 2_000);
const IN_FULL = process.env['SCALE_CODES'] !== undefined;
/** Deals, and megabytes of Node's heap. The texts of the codes do not fit into it. */
const SIZES: readonly (readonly [deals: number, heap: number])[] = IN_FULL
  ? [
      [24, 256],
      [200, 512],
    ]
  : [[5, 512]];
/** Times that each deal sells, in turns with all others. */
const TURNS = 2;
const PER_CODE = 0.1;

afterAll(discardLeftovers);

describe.each(SIZES)(`%d deals with ${CODES} codes each, and a heap of %d MB`, (count, heap) => {
  const deals = Array.from({ length: count }, (_, number) => `coded-${number}`);

  it(
    'D10: sell in turn, also after a kill, and no call is refused',
    async () => {
      const { dataDir, notes } = await filledFolder(`codes-${count}-${CODES}`, async (folder) => {
        const { shop, partner } = await opened(
          folder,
          deals.map((deal) => ({ deal, sales: CODES, buyers: 1 })),
        );
        const log = await openLogOf(folder);
        for (const deal of deals) {
          const decisions = new Decisions(`partner:${partner}`);
          await decisions.read(log, inventory, deal);
          await writeAll(log, adding(decisions, deal, CODES, Date.now()));
        }
        await log.close();
        return shop;
      });
      const env = { NODE_OPTIONS: `--max-old-space-size=${heap}` };
      const start = () => RunningService.start({ dataDir, ownProcess: true, env });
      let service = await start();
      await workDone(service, patience(count * CODES, PER_CODE));
      const answers = new Map<number, number>();
      const told = new Set<string>();
      const asked = async (method: string, path: string, body: object) => {
        const answer = await service.ask(method, path, { key: notes.key, body });
        answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
        return answer.body;
      };
      for (let turn = 0; turn < TURNS; turn += 1) {
        for (const deal_id of deals) {
          const { purchase } = await asked('POST', '/purchases/reserve', { deal_id, num_bought: 1 });
          const claimed = await asked('PUT', `/purchases/${purchase?.id}/claim`, { user_id: notes.user });
          told.add(`${deal_id} ${claimed.purchase?.coupons[0]?.redemption_code}`);
        }
        await service.kill();
        service = await start();
      }
      await service.stop();
      tell('SCALE_CODES', `answers: ${[...answers].map(([status, count]) => `${count} × ${status}`).join(', ')}`);
      expect([...answers]).toEqual([[200, 2 * TURNS * count]]);
      expect(told.size).toBe(TURNS * count);
    },
    patience(count * CODES, PER_CODE),
  );
});
