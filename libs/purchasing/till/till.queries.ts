import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Writer, Reader } from '#eventsourcing';
import { DomainError } from '#kernel';
import { findCoupon } from '../coupon/find-coupon.js';
import { dealOfCoupon } from '../coupon/deal-of-coupon.js';
import { DealDetails } from '../ports/deal-details.js';
import type { CouponAtTill } from './till.present.js';

/** A coupon of a partner with its deal as sold, from the log: what a till shows before it redeems (ruling I8). */
export class ShowAtTill extends Query<CouponAtTill> {
  constructor(
    readonly partnerId: string,
    /** Its id in any case, or its barcode. */
    readonly named: string,
  ) {
    super();
  }
}

@QueryHandler(ShowAtTill)
export class ShowAtTillHandler implements IQueryHandler<ShowAtTill> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly deals: DealDetails,
  ) {}

  /** @throws DomainError not_found | barcode_shared */
  async execute({ partnerId, named }: ShowAtTill): Promise<CouponAtTill> {
    const row = await findCoupon(this.writer, this.reader, named, partnerId);
    if (row === null) {
      const detail = 'you have no coupon with this id or barcode';
      throw new DomainError('not_found', 'Failed. not found.', { detail });
    }
    return { row, deal: await dealOfCoupon(this.writer, this.deals, row) };
  }
}
