import { Inject, Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Keyring, Clock, Time } from '#eventsourcing';
import {
  AllowFor,
  type AnswerOf,
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
import { COUPON } from '../coupon/coupon.answer.js';
import { presentCoupon, presentingOf } from '../coupon/coupon.present.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { PURCHASE } from '../purchase/purchase.answer.js';
import { presentPurchase } from '../purchase/purchase.present.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import type { Refunded } from './cancel-one.js';
import { GetAnyCoupon, GetAnyPurchase } from './look-up.queries.js';
import { CancelCoupon, ReissueCoupon } from './coupon-admin.commands.js';
import { RefundPurchase, VoidPurchase } from './purchase-admin.commands.js';

/** A coupon without the address of its page, which shows its owner's name to whoever has it. */
const OPERATED_COUPON = COUPON.omit({ print_url: true }).meta({
  id: 'CouponOfAnybody',
  description: 'A coupon, as operators and auditors see it: without the page that shows its owner’s name.',
});
const OPERATED_PURCHASE = PURCHASE.extend({
  coupons: z.array(OPERATED_COUPON).nullable().describe('One for each unit; empty while nothing is sold.'),
}).meta({ id: 'PurchaseOfAnybody', description: 'A purchase or reservation, as operators and auditors see it.' });

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
const CANCELLED_COUPON = success({ coupon: OPERATED_COUPON, ...REFUND });
const REFUNDED_PURCHASE = success({ purchase: OPERATED_PURCHASE, ...REFUND });

/** Whose something is. */
const PARTNER_ID = z.string().describe('Of the partner whose it is: GET /operators/partners lists them.');
const ANY_PURCHASE = success({ partner_id: PARTNER_ID, purchase: OPERATED_PURCHASE });
const ANY_COUPON = success({
  partner_id: PARTNER_ID,
  purchase_id: z.string(),
  user_id: z.string().nullable().describe('Null if a reseller sold it.'),
  coupon: OPERATED_COUPON,
});

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
    private readonly queries: QueryBus,
  ) {}

  @Describe({ summary: 'Shows a purchase or reservation of any partner.', answer: ANY_PURCHASE })
  @AllowFor('auditor')
  @Get('purchases/:id')
  async showPurchase(@Param('id') id: string): Promise<AnswerOf<typeof ANY_PURCHASE>> {
    const row = await this.queries.execute(new GetAnyPurchase(id));
    return { status: 'success', partner_id: row.partner_id, purchase: await this.#presentPurchase(row) };
  }

  @Describe({
    summary: 'Shows a coupon of any partner, by its id or its barcode, with its purchase.',
    answer: ANY_COUPON,
    refuses: { redeem_failed: 'two coupons have this barcode: scan the QR code' },
  })
  @AllowFor('auditor')
  @Get('coupons/:id')
  async showCoupon(@Param('id') id: string): Promise<AnswerOf<typeof ANY_COUPON>> {
    const row = await this.queries.execute(new GetAnyCoupon(id));
    const { partner_id, purchase_id, user_id } = row;
    return { status: 'success', partner_id, purchase_id, user_id, coupon: this.#presentCoupon(row) };
  }

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
    answer: success({ coupon: OPERATED_COUPON }),
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
    answer: success({ purchase: OPERATED_PURCHASE }),
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
    return { status: 'success', coupon: this.#presentCoupon(row), ...refund };
  }

  /** @param words the log's message: what was done */
  async #purchase(call: Call, command: RefundPurchase | VoidPurchase, words: string): Promise<object> {
    const { row, position, refund } = await this.commands.execute<Corrected<PurchaseRow>>(command);
    call.position = position;
    call.act = { words, of: { purchase: command.purchaseId } };
    return { status: 'success', purchase: await this.#presentPurchase(row), ...refund };
  }

  #presentCoupon(row: CouponRow): AnswerOf<typeof OPERATED_COUPON> {
    const { clock, keyring, publicUrl } = this;
    return withoutPage(presentCoupon(row, clock.now(), { keyring, publicUrl }));
  }

  async #presentPurchase(row: PurchaseRow): Promise<AnswerOf<typeof OPERATED_PURCHASE>> {
    const shown = await presentPurchase(row, this.clock.now(), presentingOf(this.keyring, this.time, this.publicUrl));
    return { ...shown, coupons: shown.coupons?.map(withoutPage) ?? null };
  }
}

function withoutPage({ print_url: _, ...coupon }: AnswerOf<typeof COUPON>): AnswerOf<typeof OPERATED_COUPON> {
  return coupon;
}
