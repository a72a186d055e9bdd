// What this comparison takes from the benchmark of the project (test/bench), as the project's build left it in dist/.
import type * as cleanup from '../../test/bench/cleanup.js';
import type * as loadGenerator from '../../test/bench/load/load-generator.js';
import type * as median from '../../test/bench/measure/median.js';
import type * as processUse from '../../test/bench/measure/process-use.js';
import type * as time from '../../test/bench/measure/sync-time.js';
import type * as benchmarksFile from '../../test/bench/report/benchmarks-file.js';
import type * as holdfast from '../../test/bench/servers/holdfast.js';
import type * as turns from '../../test/bench/turns.js';

async function built<T>(file: string): Promise<T> {
  return (await import(new URL(`../../dist/test/bench/${file}.js`, import.meta.url).href)) as T;
}

export const { Cleanup } = await built<typeof cleanup>('cleanup');
export const { LoadGenerator } = await built<typeof loadGenerator>('load/load-generator');
export const { spreadOf } = await built<typeof median>('measure/median');
export const { cpuTime } = await built<typeof processUse>('measure/process-use');
export const { syncTime } = await built<typeof time>('measure/sync-time');
export const { withReport } = await built<typeof benchmarksFile>('report/benchmarks-file');
export const { startHoldfast } = await built<typeof holdfast>('servers/holdfast');
export const { sideOf, takeTurns } = await built<typeof turns>('turns');
