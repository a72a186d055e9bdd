import { defineWorkList, idOf, unchanged, type WorkRow } from '#kernel';
import type { InventoryEvent } from '../inventory/inventory.events.js';

/** Units that are held for a reseller's purchase that has not decided yet. */
export interface OpenResale extends WorkRow {
  readonly purchase_id: string;
  readonly deal_id: string;
}

/** Resales whose call broke off; the work gives them up. */
export const openResales = defineWorkList<OpenResale, InventoryEvent>({
  name: 'open-resales',
  version: 1,
  key: (event) => ('resale_id' in event.data ? event.data.resale_id : []),
  on: {
    'terms-set.v1': unchanged,
    'stock-set.v1': unchanged,
    'codes-added.v1': unchanged,
    'hold-placed.v1': unchanged,
    'hold-released.v1': unchanged,
    'hold-expired.v1': unchanged,
    'hold-claimed.v1': unchanged,
    'units-sold.v1': unchanged,
    'checkout-started.v1': unchanged,
    'checkout-sold.v1': unchanged,
    'checkout-undone.v1': unchanged,
    'unit-returned.v1': unchanged,
    'resale-started.v1': (_, { stream, data: { purchase_id, takeover_at } }) => ({
      purchase_id,
      deal_id: idOf(stream),
      due_at: takeover_at,
    }),
    'resale-sold.v1': () => undefined,
    'resale-undone.v1': () => undefined,
  },
  shown: {
    does: 'Gives up a resale whose call broke off, and its units back.',
    about: (_, { purchase_id, deal_id }) => ({ purchase_id, deal_id }),
  },
});
