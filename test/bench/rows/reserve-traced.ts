import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Measurement } from '../bench.js';
import { ratioOf, sideOf, takeTurns, type Contender } from '../turns.js';
import { openShop } from './buyers.js';
import { newShop, SALES } from './sales.js';

/** Processor time per reserve without traces, against that with all of them, turn by turn: 1 would mean that they cost nothing. */
export const reserveTraced: Measurement = async (bench, row) => {
  const cleanup = bench.newCleanup();
  // Its processor time is that of the benchmark.
  const collector = createServer((request, response) => void request.resume().once('end', () => response.end()));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const { port } = collector.address() as AddressInfo;
  const { holdfast: without, shop } = await newShop(bench);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const traced = await bench.start(cleanup, bench.newFolder(), env);
  const contenders: [Contender, Contender] = [
    { name: 'traced', server: traced, visit: (await SALES.reserve(await openShop(traced.service))).visit },
    { name: 'not traced', server: without, visit: (await SALES.reserve(shop)).visit },
  ];
  const { connections, profile } = bench.options;
  const progress = (line: string): void => bench.progress(`${row}: ${line}`);
  const length = { ...bench.options, load: bench.load, progress };
  const [own = [], others = []] = await takeTurns(contenders, length);
  if (profile) await bench.profiled(row, traced, () => takeTurns([contenders[0]], { ...length, turns: 1, warmUps: 0 }));
  await cleanup.run();
  collector.closeAllConnections();
  collector.close();
  return [
    {
      figure: ratioOf(others, own, ({ serverCpu }) => serverCpu ?? NaN),
      connections,
      sides: [sideOf('traced', own), sideOf('not traced', others)],
    },
  ];
};
