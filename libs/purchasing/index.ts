export { Charging } from './checkout/charging.js';
export * from './ports/payment-gateway.js';
export { DealDetails, type Details, type RedemptionPlace } from './ports/deal-details.js';
export { purchaseStateAfter, stockEventsOf, streamsOfPurchase, unitsAfterEvent } from './purchase/purchase.history.js';
export { readAll } from './purchase/purchase.story.js';
