import { causationOf, defineView, unchanged } from '#kernel';
import type { InventoryEvent } from './inventory.events.js';

/** The inventory's events about a purchase's units that are not the causes of the purchase's own events. */
export interface StockEffects {
  /** `stream@revision`, in the order of the log. */
  readonly events: readonly string[];
}

const noted = (row: StockEffects | undefined, event: Parameters<typeof causationOf>[0]): StockEffects => {
  const at = causationOf(event);
  return { events: [...(row?.events ?? []).filter((each) => each !== at), at] };
};

/**
 * The inventory's events that follow a purchase's decisions or come before them, by purchase. An auditor finds most of the
 * inventory's own decisions as causes of the purchase's events, but needs this view for its followers and for resales.
 */
export const stockEffectsView = defineView<StockEffects, InventoryEvent>({
  name: 'stock-effects',
  version: 1,
  key: (event) => ('purchase_id' in event.data ? event.data.purchase_id : []),
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
    'checkout-sold.v1': noted,
    'checkout-undone.v1': noted,
    'unit-returned.v1': noted,
    'resale-started.v1': noted,
    'resale-sold.v1': noted,
    'resale-undone.v1': noted,
  },
});
