import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine } from '#eventsourcing';
import { coupon } from './coupon.decider.js';
import { DealDetails } from './deal-details.js';
import type { ShownCoupon } from './print/coupon.page.js';

/** A coupon with its deal, from the log: what is shown at a counter is never stale. */
export class ShowCoupon {
  constructor(readonly couponId: string) {}
}

@QueryHandler(ShowCoupon)
export class ShowCouponHandler implements IQueryHandler<ShowCoupon, ShownCoupon | undefined> {
  constructor(
    private readonly engine: Engine,
    private readonly deals: DealDetails,
  ) {}

  async execute({ couponId }: ShowCoupon): Promise<ShownCoupon | undefined> {
    const { loop, clock } = this.engine;
    const row = await loop.read(coupon, couponId);
    if (row === null) return undefined;
    const details = await this.deals.find(row.deal_id);
    if (details === undefined) throw new Error('a coupon is of a deal that there is');
    return { row, details, now: clock.now() };
  }
}
