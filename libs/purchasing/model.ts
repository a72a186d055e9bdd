import type { ContextModel } from '#kernel';
import { couponRules, reservationRules } from './audit/coupon.rules.js';
import { moneyRules } from './audit/money.rules.js';
import { unitsRules } from './audit/units.rules.js';
import { declinedTriesView } from './checkout/declined-tries.view.js';
import { deletedCards } from './checkout/deleted-cards.work.js';
import { openCheckouts, openRefunds } from './checkout/open-checkouts.work.js';
import { askedRefunds } from './corrections/asked-refunds.work.js';
import { coupon } from './coupon/coupon.decider.js';
import { couponEvents } from './coupon/coupon.events.js';
import { couponsView } from './coupon/coupon.view.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from './followers.js';
import { holdExpiry } from './inventory/hold-expiry.work.js';
import { inventory } from './inventory/inventory.decider.js';
import { inventoryEvents } from './inventory/inventory.events.js';
import { stockEffectsView } from './inventory/stock-effects.view.js';
import { purchase } from './purchase/purchase.decider.js';
import { purchaseEvents } from './purchase/purchase.events.js';
import { purchasesView } from './purchase/purchase.view.js';
import { openResales } from './reseller/open-resales.work.js';
import { reservation } from './reservation/reservation.decider.js';
import { reservationEvents } from './reservation/reservation.events.js';

export type { CouponEvent } from './coupon/coupon.events.js';
export { holdExpiry } from './inventory/hold-expiry.work.js';
export { inventory, type InventoryCommand } from './inventory/inventory.decider.js';
export { textOfCode, type CodePool } from './inventory/code-pool.js';
export type { CodeAt, InventoryEvent, Units } from './inventory/inventory.events.js';
export { noInventory, unitsLeft, type InventoryState } from './inventory/inventory.state.js';
export * from './inventory/sale-terms.js';
export { purchase } from './purchase/purchase.decider.js';
export type { PurchaseEvent, PurchaseOpened } from './purchase/purchase.events.js';
export { reservation } from './reservation/reservation.decider.js';
export { PURCHASE_STATES, purchaseStateOf, type PurchaseRow } from './purchase/purchase.row.js';
export { purchasesView } from './purchase/purchase.view.js';
export { couponsView } from './coupon/coupon.view.js';
export { couponStateAt, type CouponRow } from './coupon/coupon.row.js';
export type { ReservationEvent } from './reservation/reservation.events.js';

/** The events of this context, what decides them, and what the service builds from them. */
export const purchasing: ContextModel = {
  deciders: [inventory, reservation, purchase, coupon],
  events: [inventoryEvents, reservationEvents, purchaseEvents, couponEvents],
  followers: [inventoryFollowers, purchaseFollowers, couponFollowers],
  views: [stockEffectsView, purchasesView, couponsView, declinedTriesView],
  workLists: [holdExpiry, openCheckouts, openRefunds, askedRefunds, openResales, deletedCards],
  rules: [unitsRules, moneyRules, couponRules, reservationRules],
};
