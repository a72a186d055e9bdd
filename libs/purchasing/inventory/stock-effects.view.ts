import { causationOf, defineView, unchanged } from '#kernel';
import type { InventoryEvent } from './inventory.events.js';

/** The inventory's events about a purchase's units that follow decisions of other streams. */
export interface StockEffects {
  /** `stream@revision`, in the order of the log. */
  readonly events: readonly string[];
}

const noted = (row: StockEffects | undefined, event: Parameters<typeof causationOf>[0]): StockEffects => {
  const at = causationOf(event);
  return { events: [...(row?.events ?? []).filter((each) => each !== at), at] };
};

/**
 * The inventory's events that follow a purchase's decisions, by purchase. An auditor finds the inventory's own decisions as
 * causes of the purchase's events, but needs this view for its followers.
 */
export const stockEffectsView = defineView<StockEffects, InventoryEvent>({
  name: 'stock-effects',
  version: 1,
  key: (event) => ('purchase_id' in event.data ? event.data.purchase_id : []),
  on: {
    'terms-set.v1': unchanged,
    'stock-set.v2': unchanged,
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
  },
});
