import { parseArgs } from 'node:util';
import { ClusterDouble } from './cluster.js';
import { serveControl } from './control-port.js';
import { EventStoreDbDouble } from './server.js';

/**
 * The double as a process of its own: `--port=0 --file=F --version=24.10 --loseEvery=3 --lose=reset --dropEvery=100 --latency=1
 * --foreign=150`, or a cluster with `--nodes=3`, whose elections last `--election=600,2500` milliseconds, those after a freeze
 * `--frozenElection=8000,9000`. With `--before=9000` other applications have written this many events before it prints its
 * address, and the address at which `controlAt` controls it.
 */
const names = ['port', 'file', 'version', 'loseEvery', 'lose', 'dropEvery', 'latency', 'step', 'foreign'] as const;
const ofClusters = ['nodes', 'election', 'frozenElection'] as const;
const options = Object.fromEntries(
  [...names, 'before', ...ofClusters].map((name) => [name, { type: 'string' as const }]),
);
const { values } = parseArgs({ options });
const typed = (value = ''): string | number | readonly number[] => {
  if (/^\d+,\d+$/.test(value)) return value.split(',').map(Number);
  return /^\d+$/.test(value) ? Number(value) : value;
};
const { before = 0, ...given } = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, typed(value)]),
);
const double = 'nodes' in given ? await ClusterDouble.start(given) : await EventStoreDbDouble.start(given);
if (Number(before) > 0) await double.control.appendForeign(Number(before));
const control = await serveControl(double.control);
process.stdout.write(`ready at ${double.url} control at ${control.url}\n`);
process.once('SIGTERM', () => {
  double.close();
  void double.control.close();
  control.server.close();
});
