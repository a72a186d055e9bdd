import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  and,
  eq,
  gt,
  having,
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
import { MOST_EXAMINED } from '#kernel/bounds';
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

/** Whose coupons a list has. */
export type CouponsOf = { readonly user_id: string } | { readonly partner_id: string };

/** What narrows a list of coupons; an absent part narrows nothing. */
export interface CouponFilters {
  /** Any of these states. */
  readonly filter?: readonly CouponFilter[] | undefined;
  /** Its twelve digits. */
  readonly barcode?: string | undefined;
  readonly redemption_code?: string | undefined;
}

/** The coupons of a user, or those of a partner that have a barcode or a code, newest first: which rows a page has, not yet read. */
export class ListCoupons extends Query<ListedVersions> {
  constructor(
    readonly of: CouponsOf,
    readonly filters: CouponFilters,
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

  /** @throws DomainError list_too_costly */
  async execute(asked: ListCoupons): Promise<ListedVersions> {
    const { of, filters, paging } = asked;
    const where = (): Where<CouponField> => whereCoupons(of, filters, this.clock.now());
    const { reader } = this;
    const isFound = filters.barcode !== undefined || filters.redemption_code !== undefined;
    // Another process may have issued such a coupon a moment ago: none is unknown before the view has seen the end of the log.
    const since = 'partner_id' in of ? await reader.end() : asked.since;
    return reader.versions(couponsView, where, { paging, since }, NEWEST_FIRST, isFound ? BOUND : undefined);
  }
}

const BOUND = { examine: MOST_EXAMINED, narrowedBy: 'filter' };

/** Finds the coupons that have all of this at `now`. */
export function whereCoupons(of: CouponsOf, filters: CouponFilters, now: Instant): Where<CouponField> {
  const { filter = [], barcode, redemption_code } = filters;
  const named = [
    ['barcode', barcode],
    ['redemption_code', redemption_code],
  ] as const;
  const owned =
    'user_id' in of ? [['user_id', of.user_id] as const, ...named] : [...named, ['partner_id', of.partner_id] as const];
  const states = filter.length === 0 ? [] : [or(...filter.map((state) => inState(state, now)))];
  return and(having<CouponField>(...owned), ...states);
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
