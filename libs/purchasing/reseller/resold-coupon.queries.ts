import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Writer, Reader } from '#eventsourcing';
import type { CouponRow } from '../coupon/coupon.row.js';
import { findCoupon } from '../coupon/find-coupon.js';
import { isResold, unknownCoupon } from './resold-coupon.js';

/** A coupon that a partner has resold (interface 4.7). */
export class GetResoldCoupon extends Query<CouponRow> {
  constructor(
    readonly partnerId: string,
    /** Its id in any case, or its barcode (ruling I8). */
    readonly named: string,
  ) {
    super();
  }
}

@QueryHandler(GetResoldCoupon)
export class GetResoldCouponHandler implements IQueryHandler<GetResoldCoupon> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ partnerId, named }: GetResoldCoupon): Promise<CouponRow> {
    const row = await findCoupon(this.writer, this.reader, named, partnerId);
    if (!isResold(row, partnerId)) throw unknownCoupon();
    return row;
  }
}
