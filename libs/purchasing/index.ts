export { Charging } from './checkout/charging.js';
export { isKnownToLog } from './checkout/known-lines.js';
export { MOST_DECLINES } from './checkout/declined-tries.view.js';
export { destroyNumbers } from './checkout/destroy-numbers.js';
export { Tries, type DeclineLimits } from './checkout/tries.js';
export { CouponItems } from './coupon/coupon-items.js';
export * from './ports/index.js';
export { namedBy } from './till/scanned.js';
export { PurchaseItems } from './purchase/purchase-items.js';
export { abandoning } from './reseller/abandoning.js';
export { PurchasingSettings } from './settings.js';
export {
  dealsNamedBy,
  purchaseStateAfter,
  stockEventsOf,
  streamsOfPurchase,
  unitsAfterEvent,
} from './purchase/purchase.history.js';
