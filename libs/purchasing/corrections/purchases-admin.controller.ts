import { Controller, Inject, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Engine, type Done } from '#eventsourcing';
import { AllowFor, type Call, Describe, instant, optional, PostCall, read, PublicUrl, text, TheCall } from '#http';
import { COUPON_ANSWER } from '../coupon/coupon.answer.js';
import { presentCoupon, presentingOf } from '../coupon/coupon.present.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { PURCHASE_ANSWER } from '../purchase/purchase.answer.js';
import { presentPurchase } from '../purchase/purchase.present.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { CancelCoupon, ReissueCoupon } from './coupon-admin.commands.js';
import { RefundPurchase, VoidPurchase } from './purchase-admin.commands.js';

/** Every correction has a reason. The history shows it (ruling D14), once for each coupon of the correction. */
const WHY = z.object({ reason: text('reason') });
const REISSUE = WHY.extend({ expires_at: optional(instant()) });

const BECAUSE = { reason: 'the buyer asked for it' };

/** Operators' corrections of coupons and purchases of every partner (rulings D14, G5). */
@AllowFor('operator')
@Controller('operators')
export class PurchasesAdminController {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'clock' | 'keyring' | 'time'>,
    private readonly publicUrl: PublicUrl,
    private readonly commands: CommandBus,
  ) {}

  @Describe({
    summary: 'Cancels a coupon, puts its unit on sale again, and refunds what we charged for it.',
    parameters: WHY,
    answer: COUPON_ANSWER,
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
    summary: 'Replaces a coupon by a new one.',
    parameters: REISSUE,
    answer: COUPON_ANSWER,
    refuses: { update_failed: 'the coupon is cancelled: its unit is in stock again' },
    example: BECAUSE,
  })
  @PostCall('coupons/:id/reissue')
  async reissue(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const { reason, expires_at } = read(REISSUE, call.parameters, 'coupon');
    return this.#coupon(call, new ReissueCoupon(id, reason, expires_at, call.command), 'a coupon was issued again');
  }

  @Describe({
    summary: 'Refunds a purchase and cancels its coupons.',
    parameters: WHY,
    answer: PURCHASE_ANSWER,
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

  /** @param words what was done, for the log */
  async #coupon(call: Call, command: CancelCoupon | ReissueCoupon, words: string): Promise<object> {
    const { row, position } = await this.commands.execute<typeof command, Done<CouponRow>>(command);
    call.position = position;
    call.act = { words, of: { coupon: command.named, purchase: row.purchase_id } };
    const { clock, keyring } = this.engine;
    return { status: 'success', coupon: presentCoupon(row, clock.now(), { keyring, publicUrl: this.publicUrl }) };
  }

  /** @param words what was done, for the log */
  async #purchase(call: Call, command: RefundPurchase | VoidPurchase, words: string): Promise<object> {
    const { row, position } = await this.commands.execute<typeof command, Done<PurchaseRow>>(command);
    call.position = position;
    call.act = { words, of: { purchase: command.purchaseId } };
    const purchase = await presentPurchase(row, this.engine.clock.now(), presentingOf(this.engine, this.publicUrl));
    return { status: 'success', purchase };
  }
}
