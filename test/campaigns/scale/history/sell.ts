import { hash } from 'node:crypto';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, type EventLog, newContext, SystemClock } from '#eventsourcing';
import { inventory, type InventoryEvent, purchasing } from '#purchasing/model';
import { openGuard } from '../../../support/open-guard.js';
import { buyerOf, claiming, type History, placing } from './history.js';

/** Buyers who buy at the same time. */
const TOGETHER = 200;
/** Milliseconds: the first of them waits until the whole stream is read. */
const PATIENCE = 3_600_000;

/** Makes more sales of a deal by the command loop itself, on the log of a stopped service; `number` is that of the first. */
export async function sellByLoop(log: EventLog, history: History, number: number, sales: number): Promise<void> {
  const clock = new SystemClock(Date.now);
  const { events, followers } = purchasing;
  const loop = new CommandLoop({
    log,
    codec: new Codec(events),
    clock,
    followers,
    limits: { patience: PATIENCE },
    machine: thisMachine,
    guard: openGuard(),
  });
  const { deal, partner, buyers } = history;
  const context = () => newContext({ clock, randomness: thisMachine.randomness }, `partner:${partner}`);
  let next = number;
  const buyer = async (): Promise<void> => {
    while (next < number + sales) {
      const own = next++;
      const id = clock.now().toString(16).padStart(12, '0') + hash('sha256', `${deal} ${own}`, 'hex').slice(0, 20);
      const { events: placed } = await loop.execute(inventory, deal, placing(partner, id), context());
      const hold = placed.at(-1)?.data as Extract<InventoryEvent, { type: 'hold-placed.v1' }>['data'];
      await loop.execute(inventory, deal, claiming(hold, buyerOf(history, own % buyers), clock.now()), context());
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, buyer));
  await loop.close();
}
