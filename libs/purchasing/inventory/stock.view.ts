import { defineView } from '#kernel';
import type { InventoryEvent, Units } from './inventory.events.js';

/** The units of each deal, as last recorded. They change with every sale, so they stand beside the deal, not in it. */
export interface StockRow extends Units {
  readonly deal_id: string;
}

const units = (_: StockRow | undefined, event: { readonly stream: string; readonly data: Units }): StockRow => {
  const { stock, held, sold, codes_left } = event.data;
  return { deal_id: dealOf(event), stock, held, sold, codes_left };
};

export const stockView = defineView<StockRow, InventoryEvent>({
  name: 'stock',
  version: 2,
  key: dealOf,
  on: {
    'stock-set.v1': units,
    'codes-added.v1': units,
    'hold-placed.v1': units,
    'hold-released.v1': units,
    'hold-expired.v1': units,
    'hold-claimed.v1': units,
    'units-sold.v1': units,
    'checkout-started.v1': units,
    'checkout-sold.v1': units,
    'checkout-undone.v1': units,
    'unit-returned.v1': units,
  },
});

function dealOf(event: { readonly stream: string }): string {
  return event.stream.slice('inventory-'.length);
}
