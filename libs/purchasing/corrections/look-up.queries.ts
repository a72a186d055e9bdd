import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Reader, Writer } from '#eventsourcing';
import { DomainError, notFound } from '#kernel';
import type { CouponRow } from '../coupon/coupon.row.js';
import { findCoupon } from '../coupon/find-coupon.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { purchasesView } from '../purchase/purchase.view.js';

/** A purchase or reservation of any partner. */
export class GetAnyPurchase extends Query<PurchaseRow> {
  constructor(readonly id: string) {
    super();
  }
}

@QueryHandler(GetAnyPurchase)
export class GetAnyPurchaseHandler implements IQueryHandler<GetAnyPurchase> {
  constructor(private readonly reader: Reader) {}

  /** As new as the log: whoever asks did not buy, and has no position to send. */
  async execute({ id }: GetAnyPurchase): Promise<PurchaseRow> {
    const row = await this.reader.row(purchasesView, id, await this.reader.end());
    if (row === undefined) throw notFound('no purchase has this id');
    return row;
  }
}

/** A coupon of any partner, by its id in any case or its barcode (ruling I8). */
export class GetAnyCoupon extends Query<CouponRow> {
  constructor(readonly named: string) {
    super();
  }
}

@QueryHandler(GetAnyCoupon)
export class GetAnyCouponHandler implements IQueryHandler<GetAnyCoupon> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  /** @throws DomainError not_found | barcode_shared */
  async execute({ named }: GetAnyCoupon): Promise<CouponRow> {
    const row = await findCoupon(this.writer, this.reader, named, undefined);
    if (row === null) throw new DomainError('find_failed', 'Failed. not found.', { detail: 'no coupon has this id' });
    return row;
  }
}
