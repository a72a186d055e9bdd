import { defineWorkList, direct, idOf, unchanged, value, type WorkRow } from '#kernel';
import { inventory, LONGEST_HOLD } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';

/** An open hold, due at its deadline. */
export interface OpenHold extends WorkRow {
  readonly deal_id: string;
  readonly quantity: number;
}

/**
 * Writes the event that a hold ran out. The hold stopped counting before: only the clock decides that (ruling D1). The rows
 * also show how many units of a deal are held past their deadline.
 */
export const holdExpiry = defineWorkList<OpenHold, InventoryEvent, 'deal_id'>({
  name: 'hold-expiry',
  version: 1,
  key: (event) => {
    if (event.type === 'hold-claimed.v1') return event.data.purchase_id;
    return 'reservation_id' in event.data ? event.data.reservation_id : [];
  },
  on: {
    'terms-set.v1': unchanged,
    'stock-set.v1': unchanged,
    'codes-added.v1': unchanged,
    'hold-placed.v1': (_, { stream, data: { deadline, quantity } }) => ({
      due_at: deadline,
      deal_id: idOf(stream),
      quantity,
    }),
    'hold-claimed.v1': () => undefined,
    'hold-released.v1': () => undefined,
    'hold-expired.v1': () => undefined,
    'units-sold.v1': unchanged,
    'checkout-started.v1': unchanged,
    'checkout-sold.v1': unchanged,
    'checkout-undone.v1': unchanged,
    'unit-returned.v1': unchanged,
    'resale-started.v1': unchanged,
    'resale-sold.v1': unchanged,
    'resale-undone.v1': unchanged,
  },
  fields: { deal_id: value((row) => row.deal_id) },
  indexes: [['deal_id', 'due_at']],
  shown: {
    does: 'Writes that a hold has run out. It counts no more from its deadline on, whatever becomes of this.',
    about: (reservation_id, { deal_id }) => ({ reservation_id, deal_id }),
  },
  within: LONGEST_HOLD,
  command: (reservation_id, { deal_id }) => [direct(inventory, deal_id, { type: 'expire-hold', reservation_id })],
});
