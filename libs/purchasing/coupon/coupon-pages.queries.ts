import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Writer, Clock, PersonalData } from '#eventsourcing';
import { openProfile } from '#people';
import { user } from '#people/model';
import { coupon } from './coupon.decider.js';
import { DealDetails } from '../ports/deal-details.js';
import { dealOfCoupon } from './deal-of-coupon.js';
import type { ShownCoupon } from './print/coupon.page.js';

/** A coupon with its deal as sold, from the log, so a page at a counter is never stale. Only the owner's page shows the owner's name. */
export class ShowCoupon extends Query<ShownCoupon | undefined> {
  constructor(
    readonly couponId: string,
    readonly to: 'owner' | 'anybody',
  ) {
    super();
  }
}

@QueryHandler(ShowCoupon)
export class ShowCouponHandler implements IQueryHandler<ShowCoupon> {
  constructor(
    private readonly writer: Writer,
    @Inject(Clock) private readonly clock: Clock,
    private readonly personalData: PersonalData,
    private readonly deals: DealDetails,
  ) {}

  async execute({ couponId, to }: ShowCoupon): Promise<ShownCoupon | undefined> {
    const { writer, clock } = this;
    const row = await writer.read(coupon, couponId);
    if (row === null) return undefined;
    const deal = await dealOfCoupon(this.writer, this.deals, row);
    const holder = to === 'owner' ? await this.#holder(row.user_id) : null;
    return { row, deal, holder, now: clock.now() };
  }

  /** The owner's name; null if the owner is hidden or erased, has given none, or is the buyer of a reseller. */
  async #holder(userId: string | null): Promise<string | null> {
    if (userId === null) return null;
    const { writer, personalData } = this;
    const owner = await writer.read(user, userId);
    const profile = owner === null || owner.deleted ? null : await openProfile(personalData, owner);
    const name = [profile?.first_name, profile?.last_name]
      .filter((part) => part !== null && part !== undefined)
      .join(' ');
    return name === '' ? null : name;
  }
}
