/**
 * A process that writes the steady view in the folder of its first argument as fast as it can, until it is killed; it prints the
 * number of each write.
 */
import { EmbeddedViewStore } from '#adapters/embedded';
import { STEADY_LOG, STEADY_ROWS, steadyView } from './steady-view.js';

const [folder = ''] = process.argv.slice(2);
const store = EmbeddedViewStore.open(folder);
const [there] = await store.generations(steadyView, STEADY_LOG);
const begun = there === undefined ? await store.begin(steadyView, STEADY_LOG) : undefined;
const writer = begun?.writer ?? (await store.open(steadyView, there?.number ?? 0));
const weight = 'x'.repeat(8_000);
let last = Number((await writer.checkpoint())?.position ?? 0n);

const writeAll = async (): Promise<void> => {
  last += 1;
  const position = BigInt(last);
  const changes = Array.from({ length: STEADY_ROWS }, (_, index) => ({
    key: `row-${index}`,
    row: { write: last, weight },
    position,
  }));
  await writer.write(changes, { log: STEADY_LOG, position, event: `event-${last}` });
  process.stdout.write(`${last}\n`);
};

if (begun !== undefined) {
  await writeAll();
  await writer.finish();
}
// Even if it is live: the kill may have come between the two.
await store.promote(steadyView, begun?.number ?? there?.number ?? 0);
process.stdout.on('error', () => process.exit(1));
for (;;) {
  await writeAll();
  await new Promise((resolve) => setImmediate(resolve));
}
