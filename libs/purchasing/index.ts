export { Charging } from './checkout/charging.js';
export { isKnownToLog } from './checkout/known-lines.js';
export { MOST_DECLINES } from './checkout/declined-tries.view.js';
export { destroyNumbers } from './checkout/destroy-numbers.js';
export { Tries, type DeclineLimits } from './checkout/tries.js';
export { CouponItems } from './coupon/coupon-items.js';
export { type HotDeal, MOST_HOT } from './hottest-deals.js';
export * from './ports/index.js';
export { namedBy } from './till/scanned.js';
export { PurchaseItems } from './purchase/purchase-items.js';
export { abandoning } from './reseller/abandoning.js';
export { type SaleKind, SalesFigures } from './sales-figures.js';
export { PurchasingSettings } from './settings.js';
export {
  dealsNamedBy,
  purchaseStateAfter,
  stockEventsOf,
  streamsOfPurchase,
  unitsAfterEvent,
} from './purchase/purchase.history.js';
export { dealOfCoupon } from './coupon/deal-of-coupon.js';
export { presentingOf } from './coupon/coupon.present.js';
export { unitsAsOf, type UnitsThen } from './inventory/inventory.as-of.js';
export { couponAsOf, purchaseAsOf } from './purchase/purchase.as-of.js';
export { purchasePresenters } from './purchase/purchase.present.js';
export { resoldCouponPresenters, resoldPresenters } from './reseller/resold.present.js';
export { atTillPresenters } from './till/till.present.js';
export { PURCHASE_ANSWER } from './purchase/purchase.answer.js';
export { RESOLD_COUPON_ANSWER, RESOLD_PURCHASE } from './reseller/resold.answer.js';
export { TILL_ANSWER } from './till/till.answer.js';
export { couponIdOf } from './coupon/find-coupon.js';
