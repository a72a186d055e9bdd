import { defineWorkList, direct, value, type WorkRow } from '#kernel';
import { inventory, LONGEST_HOLD } from './inventory.decider.js';
import type { InventoryEvent } from './inventory.events.js';

/** An open hold; due at its deadline. */
export interface OpenHold extends WorkRow {
  readonly deal_id: string;
  readonly quantity: number;
}

/**
 * Records that a hold ran out. By then it no longer counts: the clock alone decides that (ruling D1). The rows also tell
 * how many units of a deal are held past their deadline.
 */
export const holdExpiry = defineWorkList<OpenHold, InventoryEvent>({
  name: 'hold-expiry',
  version: 1,
  key: (event) => {
    if (event.type === 'hold-claimed.v1') return event.data.purchase_id;
    return 'reservation_id' in event.data ? event.data.reservation_id : [];
  },
  on: {
    'hold-placed.v1': (_, { stream, data: { deadline, quantity } }) => ({
      due_at: deadline,
      deal_id: stream.slice(stream.indexOf('-') + 1),
      quantity,
    }),
    'hold-claimed.v1': () => undefined,
    'hold-released.v1': () => undefined,
    'hold-expired.v1': () => undefined,
  },
  fields: { deal_id: value((row) => row.deal_id) },
  indexes: [['deal_id', 'due_at']],
  within: LONGEST_HOLD,
  command: (reservation_id, { deal_id }) => [direct(inventory, deal_id, { type: 'expire-hold', reservation_id })],
});
