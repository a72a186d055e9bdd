import { Codec } from '#eventsourcing';
import { MINUTE } from '#kernel';
import { inventory, type InventoryState, purchasing } from '#purchasing/model';
import { opening } from './sales.js';
import { Decisions } from './history/decisions.js';
import { historyOf } from './history/history.js';

/**
 * A process that makes a deal's history, folds it from its text as a load from the log does, and prints the bytes that the
 * state holds. Needs `--expose-gc`. Arguments: the number of sales, of buyers, and of units that each may buy (0: any).
 */
const [sales = 0, buyers = 0, each = 0] = process.argv.slice(2).map(Number);
const DEAL = 'hot';
const now = Date.now();
const EVERY = 50;
/** Sales whose states together hold enough to be measured. */
const MEASURABLE = 20_000;

const codec = new Codec(purchasing.events);
const { transient } = inventory;

function folded(): InventoryState {
  const decisions = new Decisions('partner:acme', []);
  let state = transient?.asMutable(inventory.initialState) ?? inventory.initialState;
  const take = ([{ events, stream, expected }]: ReturnType<typeof decisions.decide>): void => {
    for (const [index, event] of events.entries()) {
      const data = JSON.parse(JSON.stringify(event.data)) as object;
      const stored = { ...event, data, stream, revision: expected + 1 + index, position: 1n };
      state = inventory.evolve(state, codec.decode(stored) as never);
    }
  };
  const from = now - sales * EVERY - 10 * MINUTE;
  for (const command of opening(now, 2 * sales)) {
    const sold = command.type === 'set-terms' && each > 0 ? { ...command.terms, max_per_user: each } : undefined;
    take(decisions.decide(inventory, DEAL, sold === undefined ? command : { type: 'set-terms', terms: sold }, from));
  }
  for (const appends of historyOf(decisions, { deal: DEAL, sales, buyers, partner: 'acme', from, every: EVERY }))
    take(appends);
  return transient?.asImmutable(state) ?? state;
}

function heap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// A small state is lost in what else the process holds: so there are several.
const copies = Math.max(1, Math.ceil(MEASURABLE / sales));
const held: { states?: readonly InventoryState[] } = { states: Array.from({ length: copies }, folded) };
const sold = held.states?.[0]?.sold;
const before = heap();
delete held.states;
process.stdout.write(`${JSON.stringify({ bytes: (before - heap()) / copies, sold })}\n`);
