import { describe, expect, it } from '@jest/globals';
import { direct } from '#kernel';
import { rowsOf, stateOf, type TableEvent } from '../../../test/support/given-when-then.js';
import { HOLD, START, claimOf, placeOf, terms } from '../../../test/support/sale.js';
import { holdExpiry } from './hold-expiry.work.js';
import { inventory, type InventoryCommand } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';

function historyOf(...commands: readonly (readonly [InventoryCommand, number])[]): TableEvent[] {
  const events: InventoryEvent[] = [];
  for (const [command, now] of commands)
    events.push(...inventory.decide(command, stateOf(inventory, events), now, events.length));
  return events.map((event) => ({ ...event, stream: 'inventory-spa-day' }));
}
const begun: readonly (readonly [InventoryCommand, number])[] = [
  [{ type: 'set-terms', terms: terms() }, START],
  [{ type: 'set-stock', looked: Infinity, units: 9, change_id: 'c' }, START],
  [placeOf('r1', 2), START],
  [placeOf('r2', 3), START + 10],
];
const close: Record<string, readonly [InventoryCommand, number]> = {
  claimed: [claimOf('r1', 'ann', 2), START + 20],
  released: [{ type: 'release', number: 0, reservation_id: 'r1' }, START + 20],
  'expired by the job': [{ type: 'expire-hold', reservation_id: 'r1' }, START + HOLD],
  'claimed late': [claimOf('r1', 'ann', 2), START + HOLD],
};

describe('the work list of holds', () => {
  it('D1: has every open hold, due at its deadline', async () => {
    expect(await rowsOf(holdExpiry.view, historyOf(...begun))).toEqual({
      r1: { due_at: START + HOLD, deal_id: 'spa-day', quantity: 2 },
      r2: { due_at: START + 10 + HOLD, deal_id: 'spa-day', quantity: 3 },
    });
  });

  it.each(Object.keys(close))('loses a hold that is %s', async (name) => {
    const command = close[name];
    if (command === undefined) throw new Error(name);
    expect(Object.keys(await rowsOf(holdExpiry.view, historyOf(...begun, command)))).toEqual(['r2']);
  });

  it('has a command that writes the event which closes its row, at the deadline', async () => {
    const [row] = Object.entries(await rowsOf(holdExpiry.view, historyOf(...begun)));
    if (row === undefined) throw new Error('no row');
    const directives = holdExpiry.command(...row);
    expect(directives).toEqual([direct(inventory, 'spa-day', { type: 'expire-hold', reservation_id: 'r1' })]);
    const command = directives[0]?.command as InventoryCommand;
    expect(Object.keys(await rowsOf(holdExpiry.view, historyOf(...begun, [command, row[1].due_at])))).toEqual(['r2']);
  });
});
