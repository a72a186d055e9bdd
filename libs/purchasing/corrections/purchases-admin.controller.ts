import { Inject, Controller, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Keyring, Clock, Time } from '#eventsourcing';
import {
  AllowFor,
  type Call,
  Describe,
  boolean,
  LOCAL_TIME_FORM,
  localMoment,
  oneOfWords,
  optional,
  PostCall,
  read,
  PublicUrl,
  success,
  text,
  TheCall,
} from '#http';
import { COUPON, COUPON_ANSWER } from '../coupon/coupon.answer.js';
import { presentCoupon, presentingOf } from '../coupon/coupon.present.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { PURCHASE, PURCHASE_ANSWER } from '../purchase/purchase.answer.js';
import { presentPurchase } from '../purchase/purchase.present.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import type { Refunded } from './cancel-one.js';
import { CancelCoupon, ReissueCoupon } from './coupon-admin.commands.js';
import { RefundPurchase, VoidPurchase } from './purchase-admin.commands.js';

/** Every correction has a reason. The history shows it (ruling D14), once for each coupon of the correction. */
const WHY = z.object({ reason: text('reason') });
const REISSUE = WHY.extend({
  terms: optional(oneOfWords<'as_sold' | 'current'>(['as_sold', 'current'])).describe(
    'What the new coupon shows, and when it expires: as the old one (`as_sold`, the default), or as the deal is now.',
  ),
  expires_at: optional(localMoment()).describe(
    `When the new coupon expires, instead of what \`terms\` say. ${LOCAL_TIME_FORM}`,
  ),
  redeemed_by_mistake: optional(boolean()).describe(
    'True if the old coupon was redeemed, and should not have been: then it counts as not redeemed.',
  ),
});

/** A correction's row; only what is cancelled or refunded gives money back. */
type Corrected<Row> = Omit<Refunded<Row>, 'refund'> & Partial<Refunded<Row>>;

const BECAUSE = { reason: 'the buyer asked for it' };

/** Who gives the buyer money back, and how much (ruling I15). */
const REFUND = {
  refund_by: z
    .enum(['gateway', 'partner'])
    .describe('`gateway`: we give back what we took. `partner`: the buyer paid the partner, who owes them the money.'),
  amount: z.int().describe('Cents that the buyer gets back: for this coupon, or for all coupons of the purchase.'),
};
const CANCELLED_COUPON = success({ coupon: COUPON, ...REFUND });
const REFUNDED_PURCHASE = success({ purchase: PURCHASE, ...REFUND });

/** Operators' corrections of coupons and purchases of every partner (rulings D14, G5). */
@AllowFor('operator')
@Controller('operators')
export class PurchasesAdminController {
  constructor(
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Time) private readonly time: Time,
    private readonly publicUrl: PublicUrl,
    private readonly commands: CommandBus,
  ) {}

  @Describe({
    summary:
      'Cancels a coupon, puts its unit on sale again, and refunds what we charged for it; `refund_by` says whether the partner must give the money back.',
    parameters: WHY,
    answer: CANCELLED_COUPON,
    refuses: { update_failed: 'the coupon was issued again as <coupon_id>' },
    example: BECAUSE,
  })
  @PostCall('coupons/:id/cancel')
  async cancel(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const { reason } = read(WHY, call.parameters, 'coupon');
    return this.#coupon(call, new CancelCoupon(id, reason, call.command), 'a coupon was cancelled');
  }

  /** Answers with the new coupon. */
  @Describe({
    summary:
      'Replaces a valid or expired coupon by a new one; one that was redeemed by mistake needs `redeemed_by_mistake`, and an expired one a later expiry.',
    parameters: REISSUE,
    answer: COUPON_ANSWER,
    refuses: { update_failed: 'the coupon is redeemed: if that was a mistake, send redeemed_by_mistake' },
    example: BECAUSE,
  })
  @PostCall('coupons/:id/reissue')
  async reissue(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const {
      reason,
      terms = 'as_sold',
      expires_at,
      redeemed_by_mistake = false,
    } = read(REISSUE, call.parameters, 'coupon');
    const reissuing = { terms, expires_at, redeemed_by_mistake };
    return this.#coupon(call, new ReissueCoupon(id, reason, reissuing, call.command), 'a coupon was issued again');
  }

  @Describe({
    summary:
      'Refunds a purchase and cancels its coupons; `refund_by` says whether the partner must give the money back.',
    parameters: WHY,
    answer: REFUNDED_PURCHASE,
    refuses: { update_failed: 'the purchase is not paid: there is nothing to refund' },
    example: BECAUSE,
  })
  @PostCall('purchases/:id/refund')
  async refund(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const { reason } = read(WHY, call.parameters, 'purchase');
    return this.#purchase(call, new RefundPurchase(id, reason, call.command), 'a purchase was refunded');
  }

  @Describe({
    summary: 'Voids a purchase whose charge has no outcome.',
    parameters: WHY,
    answer: PURCHASE_ANSWER,
    refuses: { update_failed: 'the purchase is paid: refund it' },
    example: BECAUSE,
  })
  @PostCall('purchases/:id/void')
  async void(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const { reason } = read(WHY, call.parameters, 'purchase');
    return this.#purchase(call, new VoidPurchase(id, reason, call.command), 'a charge was given up');
  }

  /** @param words the log's message: what was done */
  async #coupon(call: Call, command: CancelCoupon | ReissueCoupon, words: string): Promise<object> {
    const { row, position, refund } = await this.commands.execute<Corrected<CouponRow>>(command);
    call.position = position;
    call.act = { words, of: { coupon: command.named, purchase: row.purchase_id } };
    const { clock, keyring } = this;
    const coupon = presentCoupon(row, clock.now(), { keyring, publicUrl: this.publicUrl });
    return { status: 'success', coupon, ...refund };
  }

  /** @param words the log's message: what was done */
  async #purchase(call: Call, command: RefundPurchase | VoidPurchase, words: string): Promise<object> {
    const { row, position, refund } = await this.commands.execute<Corrected<PurchaseRow>>(command);
    call.position = position;
    call.act = { words, of: { purchase: command.purchaseId } };
    const purchase = await presentPurchase(
      row,
      this.clock.now(),
      presentingOf(this.keyring, this.time, this.publicUrl),
    );
    return { status: 'success', purchase, ...refund };
  }
}
