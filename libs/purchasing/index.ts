export { Charging } from './checkout/charging.js';
export * from './ports/index.js';
export { PurchasingSettings } from './settings.js';
export { purchaseStateAfter, stockEventsOf, streamsOfPurchase, unitsAfterEvent } from './purchase/purchase.history.js';
