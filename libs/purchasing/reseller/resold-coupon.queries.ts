import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, readRow } from '#eventsourcing';
import type { Position } from '#kernel';
import type { CouponRow } from '../coupon/coupon.row.js';
import { couponsView } from '../coupon/coupon.view.js';
import { isResold, unknownCoupon } from './resold-coupon.js';

/** A coupon that a partner has resold (interface 4.7). */
export class GetResoldCoupon {
  constructor(
    readonly partnerId: string,
    readonly couponId: string,
    /** The position that the view must have reached. */
    readonly since: Position,
  ) {}
}

@QueryHandler(GetResoldCoupon)
export class GetResoldCouponHandler implements IQueryHandler<GetResoldCoupon, CouponRow> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  async execute({ partnerId, couponId, since }: GetResoldCoupon): Promise<CouponRow> {
    const row = await readRow(this.engine, couponsView, couponId, since);
    if (!isResold(row, partnerId)) throw unknownCoupon();
    return row;
  }
}
