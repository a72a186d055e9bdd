import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Cleanup } from '../cleanup.js';
import { LoadGenerator } from '../load/load-generator.js';
import { openShop } from '../rows/buyers.js';
import { startHoldfast, type Holdfast } from '../servers/holdfast.js';
import { ROWS, type RowName } from './rows.js';
import { compareSlices, type Side } from './slices.js';

const NAMES = Object.keys(ROWS) as RowName[];
const USAGE = `npm run bench:checkouts -- --before FOLDER [options]

Compares the processor time per request of this checkout with that of another one, which must be built. Above 1, this one
needs less. Both services run at once and are loaded in turn, so that other work on the machine disturbs both alike.

  --before FOLDER     the other checkout
  --row NAME          only this row; may be repeated. Names: ${NAMES.join(', ')}
  --slices 30         counted slices of each service and row
  --seconds 0.5       the length of a slice
  --connections 16`;

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    row: { type: 'string', multiple: true, default: NAMES },
    slices: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '0.5' },
    connections: { type: 'string', default: '16' },
    help: { type: 'boolean', default: false },
  },
});
const unknown = values.row.filter((name) => !Object.hasOwn(ROWS, name));
const [slices = NaN, seconds = NaN, connections = NaN] = [values.slices, values.seconds, values.connections].map(
  Number,
);
const isWrong = unknown.length > 0 || [slices, seconds, connections].some((number) => !(number > 0));

const cleanup = new Cleanup();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void cleanup.run().finally(() => process.exit(1)));

async function compare(before: string): Promise<void> {
  mkdirSync('dist', { recursive: true });
  const folder = mkdtempSync(join('dist', 'checkouts-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const load = new LoadGenerator();
  cleanup.add(() => load.stop());
  const start = async (root: string): Promise<Holdfast> => {
    const data = mkdtempSync(join(folder, 'data-'));
    return cleanup.begun(startHoldfast(data, data, { root: resolve(root) }));
  };
  const [other, own] = [await start(before), await start('.')];
  const [theirs, ours] = [await openShop(other.service), await openShop(own.service)];
  const length = { load, seconds, connections };
  for (const name of values.row as RowName[]) {
    const sides: [Side, Side] = [
      { holdfast: other, asked: await ROWS[name](theirs, { options: { seconds } }) },
      { holdfast: own, asked: await ROWS[name](ours, { options: { seconds } }) },
    ];
    const of = await compareSlices(sides, length, slices);
    const [low, high] = of.quartiles.map((each) => each.toFixed(2));
    process.stdout.write(
      `${name}: ${of.ratio.toFixed(2)} (half of the slices ${low} to ${high}); µs per request: before ${of.before.toFixed(0)}, now ${of.after.toFixed(0)}\n`,
    );
    const threads = [...of.threads].map(([thread, [then, now]]) => `${thread} ${then.toFixed(0)} → ${now.toFixed(0)}`);
    process.stdout.write(`  ${threads.filter((words) => !words.endsWith(' 0 → 0')).join(', ')}\n`);
  }
}

if (values.help || values.before === undefined || isWrong) {
  process.stdout.write(`${USAGE}\n`);
  process.exitCode = values.help ? 0 : 1;
} else {
  try {
    await compare(values.before);
  } finally {
    await cleanup.run();
  }
}
