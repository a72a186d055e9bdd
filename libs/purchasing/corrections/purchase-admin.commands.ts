import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  atOnce,
  later,
  Unavailable,
  withCallDeadline,
  type CommandContext,
  type Done,
  Writer,
  Keyring,
  Time,
} from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { REFUNDED_AT_ONCE } from '#kernel/bounds';
import { Charging, unlessUnknown } from '../checkout/charging.js';
import { completeOutcome } from '../checkout/outcome.js';
import { coupon } from '../coupon/coupon.decider.js';
import { couponsFor } from '../coupon/coupon-ids.js';
import { inventory } from '../inventory/inventory.decider.js';
import { completeSale } from '../complete-missing.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { readPurchase, readUnsold } from '../purchase/purchase.from-log.js';
import { refundByOf } from '../purchase/purchase.state.js';
import { reservation } from '../reservation/reservation.decider.js';
import { cancelOne, type Refunded } from './cancel-one.js';

/** Refunds the rest of a purchase: cancels its coupons and gives the money back (rulings D14, G5). */
export class RefundPurchase extends Command<Refunded<PurchaseRow>> {
  constructor(
    readonly purchaseId: string,
    readonly reason: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RefundPurchase)
export class RefundPurchaseHandler implements ICommandHandler<RefundPurchase> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    @Inject(Time) private readonly time: Time,
    private readonly charging: Charging,
  ) {}

  async execute({ purchaseId, reason, context }: RefundPurchase): Promise<Refunded<PurchaseRow>> {
    const asked = await this.#ask(purchaseId, reason, context);
    const { issued } = asked;
    let { position } = asked;
    await atOnce(REFUNDED_AT_ONCE, issued, async (id) => {
      // Each one may take as long as a whole call.
      const cancelled = await withCallDeadline(this.time, () => this.#cancel(id, reason, context));
      position = later(position, cancelled);
    });
    const row = await readPurchase(this.writer, this.keyring, purchaseId, issued.length);
    const bought = await this.writer.readNow(purchase, purchaseId);
    if (bought.status !== 'sold') throw new Error('a refunded purchase was sold');
    return { row, position, refund: { refund_by: refundByOf(bought), amount: bought.refunded } };
  }

  /**
   * Writes that the refund was asked. From then on it always completes, also after a crash: every refusal comes before.
   * @returns the coupons of the sale, as they were issued first
   */
  async #ask(
    purchaseId: string,
    reason: string,
    context: CommandContext,
  ): Promise<{ readonly issued: readonly string[]; readonly position: Position | undefined }> {
    const { writer, keyring } = this;
    const quantity = await this.#complete(purchaseId);
    const issued = couponsFor(keyring, purchaseId, quantity).map(({ id }) => id);
    try {
      const { position } = await writer.execute(purchase, purchaseId, { type: 'ask-refund', issued, reason }, context);
      return { issued, position };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'coupons_not_known') throw error;
      // Another process has just written that the charge went through. A purchase is sold once, so this repeats once.
      return this.#ask(purchaseId, reason, context);
    }
  }

  /**
   * Writes the followers of the sale that a crash cut off, because the refund needs them.
   * @returns the number of sold units, which all have their coupons; 0 if it is not sold
   * @throws Unavailable if a coupon of the sale is still missing
   */
  async #complete(id: string): Promise<number> {
    const { writer, keyring } = this;
    const reserved = await writer.readNow(reservation, id);
    if (reserved.status !== 'none') {
      const { number, deal } = reserved.placed;
      if ((await writer.readNow(inventory, deal.id)).sold_numbers.has(number)) await completeSale(writer, deal.id, id);
    } else await completeOutcome(writer, id);
    const after = await writer.read(purchase, id);
    const sold = after.status === 'sold' ? after.made.quantity : 0;
    const issued = await Promise.all(couponsFor(keyring, id, sold).map((each) => writer.read(coupon, each.id)));
    if (issued.includes(null)) throw new Unavailable('the purchase is being completed', 5);
    return sold;
  }

  /** Cancels the present coupon of a unit: if a coupon was issued again, the new one. */
  async #cancel(couponId: string, reason: string, context: CommandContext): Promise<Position | undefined> {
    for (let id = couponId; ;) {
      try {
        return (await cancelOne(this.writer, this.charging, id, reason, context)).position;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const { replaced_by } = error.details;
        // The follower of a reissue has not written the replacement yet.
        if (typeof replaced_by !== 'string') throw new Unavailable('the purchase is being refunded', 5);
        id = replaced_by;
      }
    }
  }
}

/** Voids a purchase whose charge has no outcome (ruling G5). */
export class VoidPurchase extends Command<Done<PurchaseRow>> {
  constructor(
    readonly purchaseId: string,
    readonly reason: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(VoidPurchase)
export class VoidPurchaseHandler implements ICommandHandler<VoidPurchase> {
  constructor(
    private readonly writer: Writer,
    private readonly charging: Charging,
  ) {}

  /** Only the gateway's answer closes the purchase. Until then it shows as pending, and the work list asks again. */
  async execute({ purchaseId, reason, context }: VoidPurchase): Promise<Done<PurchaseRow>> {
    const { writer } = this;
    await this.charging.usable();
    const result = await writer
      .execute(purchase, purchaseId, { type: 'ask-void', reason }, context)
      .catch(async (error: unknown) => {
        // The refusal says that the charge has an outcome: so its followers must be written.
        if (error instanceof DomainError) await completeOutcome(this.writer, purchaseId);
        throw error;
      });
    const voided =
      result.state.status === 'voiding' ? await unlessUnknown(this.charging.cancel(result.state, context)) : undefined;
    const position = voided?.position ?? result.position;
    // An earlier try or another process wrote the outcome, and may have got no further.
    const completed = voided?.events.length ? undefined : await completeOutcome(this.writer, purchaseId);
    return { row: await readUnsold(this.writer, purchaseId), position: later(position, completed?.position) };
  }
}
