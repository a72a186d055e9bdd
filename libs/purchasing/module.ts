import { Module } from '@nestjs/common';
import { CouponPagesController } from './coupon/coupon-pages.controller.js';
import { ShowCouponHandler } from './coupon/coupon-pages.queries.js';
import { ListCouponsHandler } from './coupon/coupon.queries.js';
import { CouponsController } from './coupon/coupons.controller.js';
import { RedeemHandler } from './coupon/redeem.commands.js';
import { GetPurchaseHandler, ListPurchasesHandler } from './purchase/purchase.queries.js';
import { PurchasesController } from './purchase/purchases.controller.js';
import { ClaimHandler } from './reservation/claim.commands.js';
import { ReleaseHandler } from './reservation/release.commands.js';
import { ReserveHandler } from './reservation/reserve.commands.js';

@Module({
  controllers: [PurchasesController, CouponsController, CouponPagesController],
  providers: [
    ReserveHandler,
    ClaimHandler,
    ReleaseHandler,
    RedeemHandler,
    GetPurchaseHandler,
    ListPurchasesHandler,
    ListCouponsHandler,
    ShowCouponHandler,
  ],
})
export class PurchasingModule {}
