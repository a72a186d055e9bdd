import { parseArgs } from 'node:util';
import { serveControl } from './control-port.js';
import type { DoubleOptions } from './options.js';
import { EventStoreDbDouble } from './server.js';

/**
 * The double as a process of its own: `--port=0 --file=F --version=24.10 --loseEvery=3 --lose=reset --dropEvery=100
 * --latency=1 --foreign=150`. It says where it listens, and where it is told by `controlAt` what to do.
 */
const names = ['port', 'file', 'version', 'loseEvery', 'lose', 'dropEvery', 'latency', 'step', 'foreign'] as const;
const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
const { values } = parseArgs({ options });
const typed = (value = ''): string | number => (/^\d+$/.test(value) ? Number(value) : value);
const given = Object.entries(values).map(([name, value]) => [name, typed(value)]);
const double = await EventStoreDbDouble.start(Object.fromEntries(given) as DoubleOptions);
const control = await serveControl(double.control);
process.stdout.write(`ready at ${double.url} control at ${control.url}\n`);
process.once('SIGTERM', () => {
  double.close();
  void double.control.close();
  control.server.close();
});
