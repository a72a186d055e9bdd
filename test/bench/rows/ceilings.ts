import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurement } from '../bench.js';
import { spreadOf } from '../measure/median.js';
import { ChildServer } from '../servers/child-server.js';
import { sideOf, takeTurns } from '../turns.js';

/** The sizes of a reserve's answer and of a list of 100. */
export const SHORT = 749;
export const LONG = 250_000;

/** The rate of the load generator against a server that costs nearly nothing: no row can be faster. */
export function ceiling(size: number): Measurement {
  return async (bench, row) => {
    const file = join(bench.folder, `answer-${size}`);
    writeFileSync(file, 'x'.repeat(size));
    const cleanup = bench.newCleanup();
    const { server } = await cleanup.begun(ChildServer.start('instant-answers', file, bench.folder));
    const body = JSON.stringify({ deal_id: 'a-deal', num_bought: 1 });
    const visit = { requests: [{ method: 'POST' as const, path: '/purchases/reserve', headers: [], body }] };
    const { connections } = bench.options;
    const [turns = []] = await takeTurns([{ name: 'instant answers', server, visit: () => visit }], {
      ...bench.options,
      load: bench.load,
      progress: (line) => bench.progress(`${row}: ${line}`),
    });
    await cleanup.run();
    return [
      { figure: spreadOf(turns.map(({ rate }) => rate)), connections, sides: [sideOf('instant answers', turns)] },
    ];
  };
}
