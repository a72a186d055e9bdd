import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, and, eq, gt, lte, or, type Where } from '#eventsourcing';
import type { Paging } from '#http';
import type { Instant, Position } from '#kernel';
import type { CouponRow } from './coupon.row.js';
import { couponsView } from './coupon.view.js';

/** The states that filter a list of coupons (interface 4.8). */
export const COUPON_FILTERS = ['valid', 'redeemed', 'expired'] as const;
export type CouponFilter = (typeof COUPON_FILTERS)[number];

/** A user's coupons, newest first. */
export class ListCoupons {
  constructor(
    readonly userId: string,
    /** Any of these states; empty for all states. */
    readonly filter: readonly CouponFilter[],
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListCoupons)
export class ListCouponsHandler implements IQueryHandler<ListCoupons, readonly CouponRow[] | number> {
  constructor(private readonly engine: Engine) {}

  async execute({ userId, filter, paging, since }: ListCoupons): Promise<readonly CouponRow[] | number> {
    const { views, freshness, clock } = this.engine;
    await freshness.until([couponsView], since);
    const reader = views.reader(couponsView);
    const now = clock.now();
    const states = filter.length === 0 ? [] : [or(...filter.map((state) => inState(state, now)))];
    const where = and(eq('user_id', userId), ...states);
    if (paging.count) return reader.count(where);
    const sort = [{ field: 'created_at', descending: true }];
    return (await reader.find({ where, sort, ...paging })).map(({ row }) => row);
  }
}

/** Finds the coupons in a state at `now`: the clock decides about `expired` (ruling D10). */
function inState(state: CouponFilter, now: Instant): Where {
  switch (state) {
    case 'redeemed':
      return eq('state', 'redeemed');
    case 'valid':
      return and(eq('state', 'valid'), gt('expires_at', now));
    case 'expired':
      return and(eq('state', 'valid'), lte('expires_at', now));
  }
}
