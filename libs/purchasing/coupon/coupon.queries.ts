import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  and,
  eq,
  gt,
  lte,
  NEWEST_FIRST,
  or,
  type ListedVersions,
  type Paging,
  type Where,
  Writer,
  Reader,
  Clock,
} from '#eventsourcing';
import type { Instant, Position } from '#kernel';
import { couponsView, type CouponField } from './coupon.view.js';
import { findCoupon, isBarcode } from './find-coupon.js';

/**
 * The user of a coupon; undefined for an unknown id. An unknown barcode is nobody's (null), and so answered like another user's:
 * or else a token could find out which barcodes exist.
 */
export class OwnerOfCoupon extends Query<string | null | undefined> {
  constructor(
    readonly partnerId: string,
    /** Its id in any case, or its barcode. */
    readonly named: string,
    /** The coupon is read from the log, which has everything that was written. */
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(OwnerOfCoupon)
export class OwnerOfCouponHandler implements IQueryHandler<OwnerOfCoupon> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ partnerId, named }: OwnerOfCoupon): Promise<string | null | undefined> {
    const found = await findCoupon(this.writer, this.reader, named, partnerId);
    if (found === null) return isBarcode(named) ? null : undefined;
    return found.user_id;
  }
}

/** The states that filter a list of coupons (interface 4.8). */
export const COUPON_FILTERS = ['valid', 'redeemed', 'expired'] as const;
export type CouponFilter = (typeof COUPON_FILTERS)[number];

/** A user's coupons, newest first: which rows a page has, not yet read. */
export class ListCoupons extends Query<ListedVersions> {
  constructor(
    readonly userId: string,
    /** Any of these states; empty for all states. */
    readonly filter: readonly CouponFilter[],
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListCoupons)
export class ListCouponsHandler implements IQueryHandler<ListCoupons> {
  constructor(
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  execute(asked: ListCoupons): Promise<ListedVersions> {
    const { userId, filter } = asked;
    const where = (): Where<CouponField> => {
      const now = this.clock.now();
      const states = filter.length === 0 ? [] : [or(...filter.map((state) => inState(state, now)))];
      return and(eq('user_id', userId), ...states);
    };
    return this.reader.versions(couponsView, where, asked, NEWEST_FIRST);
  }
}

/** Finds the coupons in a state at `now`: the clock decides about `expired` (ruling D10). */
function inState(state: CouponFilter, now: Instant): Where<CouponField> {
  switch (state) {
    case 'redeemed':
      return eq('state', 'redeemed');
    case 'valid':
      return and(eq('state', 'valid'), gt('expires_at', now));
    case 'expired':
      return and(eq('state', 'valid'), lte('expires_at', now));
  }
}
