import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement } from '../bench.js';
import { spreadOf } from '../measure/median.js';
import { rowsOfView } from '../../support/data-folder.js';
import { sideOf, takeTurns, uncounted } from '../turns.js';
import { openDeals, openShop } from './buyers.js';

const HOLDS = 10_000;
/** A hold lasts 300 s; the test clock then jumps past the end of all of them. */
const PAST_ALL = 301;
/** Milliseconds between two looks at the work list: each reads all of it. */
const LOOK_EVERY = 500;
const WORK_LIST = 'hold-expiry';

/**
 * p99 of a reserve while the service records 10 000 holds that expire at once, against its p99 alone. It needs the test clock:
 * that the clock jumps makes all of them due in the same instant.
 */
export const expiry: Measurement = async (bench, row) => {
  const cleanup = bench.newCleanup();
  const holdfast = await bench.start(cleanup, bench.newFolder(), { TEST_CLOCK: 'true' });
  const { service, ports } = holdfast;
  const shop = await openShop(service);
  const [held = '', sold = ''] = await openDeals(shop, row, 2);
  const { connections, seconds, warmUps } = bench.options;
  const holds = bench.sized(HOLDS);
  const reserve = (deal_id: string): { method: 'POST'; path: string; headers: string[]; body: string } => ({
    method: 'POST',
    path: '/purchases/reserve',
    headers: [`X-Api-Key: ${shop.key}`],
    body: JSON.stringify({ deal_id, num_bought: 1 }),
  });
  const visit = { requests: [reserve(sold)] };
  const contender = { name: 'reserve', server: holdfast, visit: () => visit };
  const progress = (line: string): void => bench.progress(`${row}: ${line}`);
  const length = { load: bench.load, connections, seconds, turns: 1, progress };

  const [alone = []] = await takeTurns([contender], { ...length, warmUps });
  const once = { requests: [reserve(held)], values: Array.from({ length: holds }, () => ''), once: true };
  await service.forward(PAST_ALL);
  await untilHeld(service.dataDir, 0);
  await bench.load.run({ ports, connections, seconds: Number.MAX_VALUE, visit: once });
  await untilHeld(service.dataDir, holds, held);
  await service.forward(PAST_ALL);
  const began = performance.now();
  const during = bench.load.run({ ports, connections, seconds, visit });
  const expired = untilHeld(service.dataDir, 0, held).then(() => (performance.now() - began) / 1_000);
  const result = await during;
  const recorded = await expired;
  const together = uncounted(result);
  await cleanup.run();
  return [
    {
      of: `${holds} holds`,
      figure: spreadOf([together.p99 / (alone[0]?.p99 ?? NaN)]),
      connections,
      sides: [sideOf('while they expire', [together]), sideOf('alone', alone)],
      shown: { 'seconds until all are recorded': recorded },
    },
  ];
};

/** Waits until the work list has so many holds, of this deal or in all. */
async function untilHeld(dataDir: string, count: number, deal?: string): Promise<void> {
  for (;;) {
    const rows = (await rowsOfView(dataDir, WORK_LIST)) ?? [];
    const held = rows.filter(({ row }) => deal === undefined || (row as { deal_id: string }).deal_id === deal);
    if (held.length === count) return;
    await pause(LOOK_EVERY);
  }
}
