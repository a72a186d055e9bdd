import { join } from 'node:path';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { NewCodes } from '#catalogue';
import { CommandLoop, newContext, SystemClock } from '#eventsourcing';
import { codec } from '#platform/model';
import { inventory, type InventoryCommand } from '#purchasing/model';
import { openGuard } from '../../support/open-guard.js';
import { checkoutOf, closeOf, START, terms } from '../../support/sale.js';
import { engineOf } from '../../support/engine-of.js';

/**
 * A process that imports a deal's codes in calls of the largest size, then sells all of them twice: first no charge succeeds, and
 * all codes return, then all do. Prints the bytes that it holds after each part. Needs `--expose-gc`. Arguments: a folder, the
 * number of codes.
 */
const [folder = '', count = '0'] = process.argv.slice(2);
const CODES = Number(count);
/** Codes in one call, and units in one purchase. */
const [AT_ONCE, UNITS] = [10_000, 1_000];
const DEAL = 'coded';

// The clock stands in the time of the made-up deal.
const clock = new SystemClock(() => START);
const log = await EmbeddedLog.open({ file: join(folder, 'events.db') });
const loop = new CommandLoop({ log, codec, clock, followers: [], machine: thisMachine, guard: openGuard() });
const heaps: number[] = [];

const run = async (command: InventoryCommand): Promise<void> => {
  await loop.execute(inventory, DEAL, command, newContext({ clock, ...thisMachine }, 'partner:acme'));
};
const measure = (): void => {
  globalThis.gc?.();
  globalThis.gc?.();
  heaps.push(process.memoryUsage().heapUsed);
};

async function importCodes(): Promise<void> {
  for (let from = 0; from < CODES; from += AT_ONCE) {
    // Half of each call's codes are there already: those of the call before.
    const first = Math.max(0, from - AT_ONCE);
    const length = Math.min(from + AT_ONCE, CODES) - first;
    const codes = Array.from({ length }, (_, index) => `CODE-${first + index}`);
    await new NewCodes(engineOf({ ...thisMachine, loop, log, codec, clock }).writer, DEAL, codes).write(
      newContext({ clock, ...thisMachine }, 'operator:ann'),
    );
  }
}

/** Takes all codes. @param open checkouts at a time */
async function takeAll(name: string, sold: boolean, open: number): Promise<void> {
  for (let from = 0; from < CODES; from += open * UNITS) {
    const ids: string[] = [];
    for (let at = from; at < Math.min(from + open * UNITS, CODES); at += UNITS) {
      const id = `${name}-${at}`;
      ids.push(id);
      await run(checkoutOf(id, id, Math.min(UNITS, CODES - at)));
    }
    for (const id of ids) await run(closeOf(id, sold));
  }
}

await run({ type: 'set-terms', terms: terms() });
measure();
await importCodes();
measure();
await takeAll('declined', false, 10);
measure();
await takeAll('charged', true, 10);
measure();
const { codes, sold } = await loop.read(inventory, DEAL);
process.stdout.write(`${JSON.stringify({ heaps, added: codes?.added, unsold: codes?.unsold, sold })}\n`);
await loop.close();
await log.close();
