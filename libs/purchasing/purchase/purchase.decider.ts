import { defineDecider } from '#kernel';
import type { PurchaseEvent, PurchaseRecorded } from './purchase.events.js';

export type PurchaseState = { readonly status: 'none' } | { readonly status: 'fulfilled' };

export interface RecordPurchase {
  readonly type: 'record';
  readonly purchase: PurchaseRecorded;
}

/** Follows the inventory's sale. */
export const purchase = defineDecider<RecordPurchase, PurchaseState, PurchaseEvent>({
  category: 'purchase',
  initialState: { status: 'none' },
  decide: (command, state) =>
    state.status === 'none' ? [{ type: 'purchase-recorded.v1', data: command.purchase }] : [],
  evolve: () => ({ status: 'fulfilled' }),
});
