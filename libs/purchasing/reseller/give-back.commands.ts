import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { coupon } from '../coupon/coupon.decider.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { findCoupon } from '../coupon/find-coupon.js';
import { NotGivenBack } from '../coupon/give-back.rules.js';
import { DealDetails } from '../ports/deal-details.js';
import { purchase } from '../purchase/purchase.decider.js';
import { unitsLeftOf } from '../purchase/purchase.state.js';
import { isResold, unknownCoupon } from './resold-coupon.js';

/** Cancels a coupon that a reseller sold (interface 4.7, ruling D12). */
export class GiveBackCoupon extends Command<Done<CouponRow>> {
  constructor(
    readonly partnerId: string,
    /** Its id in any case, or its barcode (ruling I8). */
    readonly named: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(GiveBackCoupon)
export class GiveBackCouponHandler implements ICommandHandler<GiveBackCoupon> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly deals: DealDetails,
  ) {}

  /** @throws NotGivenBack */
  async execute(command: GiveBackCoupon): Promise<Done<CouponRow>> {
    const { partnerId, named, context } = command;
    const { writer } = this;
    const known = await findCoupon(this.writer, this.reader, named, partnerId);
    if (!isResold(known, partnerId)) throw unknownCoupon();
    const couponId = known.coupon_id;
    const before = await this.writer.repeat(context, coupon, couponId, { types: ['coupon-cancelled.v1'] });
    if (before !== undefined) return { row: known, position: before.position };
    const refundable = (await this.deals.find(known.deal_id))?.refundable ?? false;
    const give = { type: 'give-back', refundable, units_left: await this.#unitsLeft(known) } as const;
    try {
      const { state, position } = await writer.execute(coupon, couponId, give, context);
      if (state === null) throw new Error('a cancelled coupon has a state');
      return { row: state, position };
    } catch (error) {
      // The reasons are those after the change that the refusal found, which the purchase must have too.
      if (error instanceof NotGivenBack && known.state === 'valid' && (await this.#changed(known)))
        return this.execute(command);
      throw error;
    }
  }

  /** Units of the purchase that are not cancelled, with everything that a crash left out. */
  async #unitsLeft({ coupon_id, purchase_id, state }: CouponRow): Promise<number> {
    if (state !== 'valid') await this.#complete(coupon_id);
    const bought = await this.writer.readNow(purchase, purchase_id);
    return bought.status === 'sold' ? unitsLeftOf(bought) : 0;
  }

  async #changed({ coupon_id, state }: CouponRow): Promise<boolean> {
    return (await this.writer.read(coupon, coupon_id))?.state !== state;
  }

  #complete(couponId: string): Promise<Position | undefined> {
    return this.writer.complete(coupon, couponId, { from: 0 });
  }
}
