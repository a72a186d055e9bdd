import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, Unavailable, type CommandContext, type Done } from '#eventsourcing';
import type { Instant } from '#kernel';
import { Charging } from '../checkout/charging.js';
import { barcodeOf } from '../coupon/coupon-ids.js';
import { coupon } from '../coupon/coupon.decider.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { couponIdOf } from '../coupon/find-coupon.js';
import { correctCoupon } from '../complete-missing.js';
import { cancelOne } from './cancel-one.js';

/** Cancels a coupon in any state; frees its unit and refunds what our gateway took for it (rulings D14, G5). */
export class CancelCoupon {
  constructor(
    /** The coupon’s id in any case, or its barcode (ruling I8). */
    readonly named: string,
    readonly reason: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(CancelCoupon)
export class CancelCouponHandler implements ICommandHandler<CancelCoupon, Done<CouponRow>> {
  constructor(
    @Inject(Engine)
    private readonly engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness' | 'views' | 'freshness'>,
    private readonly charging: Charging,
  ) {}

  async execute({ named, reason, context }: CancelCoupon): Promise<Done<CouponRow>> {
    const couponId = await couponIdOf(this.engine, named, undefined);
    return cancelOne(this.engine, this.charging, couponId, reason, context);
  }
}

/** Issues a coupon again: the old one becomes `reissued`, and a new one is valid in its place (rulings D14, G5). */
export class ReissueCoupon {
  constructor(
    /** The coupon’s id in any case, or its barcode (ruling I8). */
    readonly named: string,
    readonly reason: string,
    /** The new coupon's expiry; undefined for that of the old one. */
    readonly expiresAt: Instant | undefined,
    readonly context: CommandContext,
  ) {}
}

/** Returns the new coupon as its row. */
@CommandHandler(ReissueCoupon)
export class ReissueCouponHandler implements ICommandHandler<ReissueCoupon, Done<CouponRow>> {
  constructor(
    @Inject(Engine)
    private readonly engine: Pick<
      Engine,
      'loop' | 'log' | 'codec' | 'clock' | 'randomness' | 'keyring' | 'views' | 'freshness'
    >,
  ) {}

  async execute({ named, reason, expiresAt, context }: ReissueCoupon): Promise<Done<CouponRow>> {
    const { loop, keyring } = this.engine;
    const couponId = await couponIdOf(this.engine, named, undefined);
    const id = keyring.deriveId(context.commandId, 0);
    const { position } = await correctCoupon(
      this.engine,
      couponId,
      { type: 'reissue', coupon_id: id, barcode: barcodeOf(keyring, id), expires_at: expiresAt, reason },
      context,
    );
    const row = await loop.read(coupon, id);
    if (row === null) throw new Unavailable('the coupon is being issued', 5);
    return { row, position };
  }
}
