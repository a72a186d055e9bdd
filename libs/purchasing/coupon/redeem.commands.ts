import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, showsRow, Writer, Reader } from '#eventsourcing';
import { DomainError } from '#kernel';
import { isUserOf } from '#people';
import { coupon } from './coupon.decider.js';
import type { CouponRow } from './coupon.row.js';
import { findCoupon } from './find-coupon.js';

/** Redeems a coupon, at most once (interface 3.4, ruling D10). */
export class Redeem extends Command<Done<CouponRow>> {
  constructor(
    readonly partnerId: string,
    /** Its id in any case, or its barcode (ruling I8). */
    readonly named: string,
    /** The user in the path; undefined if the path has none. */
    readonly userId: string | undefined,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(Redeem)
export class RedeemHandler implements ICommandHandler<Redeem> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ partnerId, named, userId, context }: Redeem): Promise<Done<CouponRow>> {
    const { writer } = this;
    const known = await findCoupon(this.writer, this.reader, named, partnerId);
    if (known === null || (userId !== undefined && known.user_id !== userId)) throw unknownCoupon();
    const couponId = known.coupon_id;
    const before = await this.writer.repeat(context, coupon, couponId, { types: ['coupon-redeemed.v1'] });
    if (before !== undefined) return { row: known, position: before.position };
    if (userId !== undefined && !(await isUserOf(writer, partnerId, userId))) throw unknownCoupon();
    const done = await writer.execute(coupon, couponId, { type: 'redeem' }, context);
    showsRow(done.last);
    if (done.state === null) throw new Error('a redeemed coupon has a state');
    return { row: done.state, position: done.position };
  }
}

function unknownCoupon(): DomainError {
  return new DomainError('coupon_not_found', 'Failed. not found.', {
    detail: 'you have no coupon with this id or barcode, or it belongs to another user',
  });
}
