import { parseArgs } from 'node:util';
import type { DoubleOptions } from './options.js';
import { EventStoreDbDouble } from './server.js';

/** The double as a process of its own: `--port=0 --file=F --loseEvery=3 --lose=reset --dropEvery=100 --latency=1`. */
const names = ['port', 'file', 'loseEvery', 'lose', 'dropEvery', 'latency', 'step'] as const;
const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
const { values } = parseArgs({ options });
const typed = (value = ''): string | number => (/^\d+$/.test(value) ? Number(value) : value);
const given = Object.entries(values).map(([name, value]) => [name, typed(value)]);
const double = await EventStoreDbDouble.start(Object.fromEntries(given) as DoubleOptions);
process.stdout.write(`ready at ${double.url}\n`);
process.once('SIGTERM', () => double.close());
