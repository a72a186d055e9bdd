import { Module } from '@nestjs/common';
import { Clock, Keyring, Reader, Time, Vault, Writer } from '#eventsourcing';
import { BuyHandler } from './checkout/buy.commands.js';
import { OrderParts } from './checkout/order-parts.js';
import { CheckoutController } from './checkout/checkout.controller.js';
import { CouponPagesController } from './coupon/coupon-pages.controller.js';
import { ShowCouponHandler } from './coupon/coupon-pages.queries.js';
import { ListCouponsHandler, OwnerOfCouponHandler } from './coupon/coupon.queries.js';
import { CouponsController } from './coupon/coupons.controller.js';
import { UnknownBarcodes } from './coupon/unknown-barcodes.js';
import { RedeemHandler } from './coupon/redeem.commands.js';
import { CancelCouponHandler, ReissueCouponHandler } from './corrections/coupon-admin.commands.js';
import { GetAnyCouponHandler, GetAnyPurchaseHandler } from './corrections/look-up.queries.js';
import { RefundPurchaseHandler, VoidPurchaseHandler } from './corrections/purchase-admin.commands.js';
import { PurchasesAdminController } from './corrections/purchases-admin.controller.js';
import { GetPurchaseHandler, ListPurchasesHandler, OwnerOfPurchaseHandler } from './purchase/purchase.queries.js';
import { PurchasesController } from './purchase/purchases.controller.js';
import { GiveBackCouponHandler } from './reseller/give-back.commands.js';
import { ResellersController } from './reseller/resellers.controller.js';
import { ResellHandler } from './reseller/resell.commands.js';
import { ListResalesHandler } from './reseller/resales.queries.js';
import { GetResoldCouponHandler } from './reseller/resold-coupon.queries.js';
import { ClaimHandler } from './reservation/claim.commands.js';
import { ReleaseHandler } from './reservation/release.commands.js';
import { ReserveHandler } from './reservation/reserve.commands.js';
import { TillController } from './till/till.controller.js';
import { ShowAtTillHandler } from './till/till.queries.js';

@Module({
  controllers: [
    PurchasesController,
    CheckoutController,
    CouponsController,
    TillController,
    CouponPagesController,
    PurchasesAdminController,
    ResellersController,
  ],
  providers: [
    {
      provide: OrderParts,
      useFactory: (writer: Writer, reader: Reader, keyring: Keyring, vault: Vault, clock: Clock) =>
        new OrderParts(writer, reader, keyring, vault, clock),
      inject: [Writer, Reader, Keyring, Vault, Clock],
    },
    ReserveHandler,
    ClaimHandler,
    ReleaseHandler,
    RedeemHandler,
    { provide: UnknownBarcodes, useFactory: (time: Time) => new UnknownBarcodes(time), inject: [Time] },
    BuyHandler,
    CancelCouponHandler,
    GetAnyCouponHandler,
    GetAnyPurchaseHandler,
    ReissueCouponHandler,
    RefundPurchaseHandler,
    VoidPurchaseHandler,
    GetPurchaseHandler,
    ListPurchasesHandler,
    OwnerOfPurchaseHandler,
    ListCouponsHandler,
    OwnerOfCouponHandler,
    ShowCouponHandler,
    ShowAtTillHandler,
    ResellHandler,
    GiveBackCouponHandler,
    GetResoldCouponHandler,
    ListResalesHandler,
  ],
})
export class PurchasingModule {}

// Tests send these commands without HTTP.
export { Buy, BuyHandler } from './checkout/buy.commands.js';
export { OrderParts } from './checkout/order-parts.js';
export {
  CancelCoupon,
  CancelCouponHandler,
  ReissueCoupon,
  ReissueCouponHandler,
} from './corrections/coupon-admin.commands.js';
export {
  RefundPurchase,
  RefundPurchaseHandler,
  VoidPurchase,
  VoidPurchaseHandler,
} from './corrections/purchase-admin.commands.js';
export type { CouponRow } from './coupon/coupon.row.js';
export { Redeem, RedeemHandler } from './coupon/redeem.commands.js';
export { GiveBackCoupon, GiveBackCouponHandler } from './reseller/give-back.commands.js';
export { Resell, ResellHandler } from './reseller/resell.commands.js';
export type { ResaleOrder, SentResale } from './reseller/resale.js';
export { Claim, ClaimHandler } from './reservation/claim.commands.js';
export { Release, ReleaseHandler } from './reservation/release.commands.js';
export { Reserve, ReserveHandler } from './reservation/reserve.commands.js';
