export { DealDetails, type Details, type RedemptionPlace } from './coupon/deal-details.js';
export { inventory, type InventoryCommand } from './inventory/inventory.decider.js';
export { noInventory, type InventoryState } from './inventory/inventory.state.js';
export type { InventoryEvent } from './inventory/inventory.events.js';
export * from './inventory/sale-terms.js';
export { stockView, type StockRow } from './inventory/stock.view.js';
export { holdExpiry } from './inventory/hold-expiry.work.js';
export { purchaseStateAfter, streamsOfPurchase, unitsAfterEvent } from './purchase/purchase.history.js';
export type { PurchaseRow } from './purchase/purchase.row.js';
