import type { Measurement } from '../bench.js';
import { ratioOf, sideOf, takeTurns, type Contender } from '../turns.js';
import { openShop } from './buyers.js';
import { newShop, SALES } from './sales.js';

/** Milliseconds between two reads of the metrics: three times as often as docs/metrics.md tells Prometheus. */
const READ_EVERY = 5_000;

/** Processor time per reserve without metrics, against that with them, turn by turn: 1 would mean that they cost nothing. */
export const reserveMeasured: Measurement = async (bench, row) => {
  const cleanup = bench.newCleanup();
  const { holdfast: measured, shop } = await newShop(bench);
  const unmeasured = await bench.start(cleanup, bench.newFolder(), { METRICS: 'false' });
  const contenders: [Contender, Contender] = [
    { name: 'measured', server: measured, visit: (await SALES.reserve(shop)).visit },
    {
      name: 'not measured',
      server: unmeasured,
      visit: (await SALES.reserve(await openShop(unmeasured.service))).visit,
    },
  ];
  const { connections } = bench.options;
  const progress = (line: string): void => bench.progress(`${row}: ${line}`);
  const token = measured.service.auditorToken;
  const reading = setInterval(() => {
    measured.service.ask('GET', '/metrics', { token }).catch(() => undefined);
  }, READ_EVERY);
  const [own = [], others = []] = await takeTurns(contenders, { ...bench.options, load: bench.load, progress });
  clearInterval(reading);
  await cleanup.run();
  return [
    {
      figure: ratioOf(others, own, ({ serverCpu }) => serverCpu ?? NaN),
      connections,
      sides: [sideOf('measured', own), sideOf('not measured', others)],
    },
  ];
};
