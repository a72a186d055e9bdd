import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Unavailable, type CommandContext, type Done, Writer, Reader, Keyring } from '#eventsourcing';
import { DomainError, instantAt, type Instant } from '#kernel';
import { IN_A_LIFE } from '#kernel/bounds';
import { Charging } from '../checkout/charging.js';
import { barcodeOf } from '../coupon/coupon-ids.js';
import { coupon, type ReissueTerms } from '../coupon/coupon.decider.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { dealOfCoupon } from '../coupon/deal-of-coupon.js';
import { couponIdOf } from '../coupon/find-coupon.js';
import { correctCoupon } from '../complete-missing.js';
import { inventory } from '../inventory/inventory.decider.js';
import { DealDetails } from '../ports/deal-details.js';
import { purchase } from '../purchase/purchase.decider.js';
import { cancelOne, type Refunded } from './cancel-one.js';

/** Cancels a coupon in any state; frees its unit and refunds what our gateway took for it (rulings D14, G5). */
export class CancelCoupon extends Command<Refunded<CouponRow>> {
  constructor(
    /** The coupon’s id in any case, or its barcode (ruling I8). */
    readonly named: string,
    readonly reason: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelCoupon)
export class CancelCouponHandler implements ICommandHandler<CancelCoupon> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly charging: Charging,
  ) {}

  async execute({ named, reason, context }: CancelCoupon): Promise<Refunded<CouponRow>> {
    const couponId = await couponIdOf(this.reader, named, undefined);
    return cancelOne(this.writer, this.charging, couponId, reason, context);
  }
}

/** What an operator may ask for a new coupon. */
export interface Reissuing {
  /** What it shows and when it expires: as the old one, or as the deal is now (ruling I2). */
  readonly terms: 'as_sold' | 'current';
  /** Its expiry, as text in the local time of the region that sold it (ruling I7); undefined for that of the terms. */
  readonly expires_at: Instant | string | undefined;
  /** Whether the old one was redeemed by mistake (ruling I3). */
  readonly redeemed_by_mistake: boolean;
}

/** Issues a coupon again: the old one becomes `reissued`, and a new one is valid in its place (rulings D14, G5, I3). */
export class ReissueCoupon extends Command<Done<CouponRow>> {
  constructor(
    /** The coupon’s id in any case, or its barcode (ruling I8). */
    readonly named: string,
    readonly reason: string,
    readonly reissuing: Reissuing,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Returns the new coupon as its row. */
@CommandHandler(ReissueCoupon)
export class ReissueCouponHandler implements ICommandHandler<ReissueCoupon> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
    private readonly deals: DealDetails,
  ) {}

  async execute({ named, reason, reissuing, context }: ReissueCoupon): Promise<Done<CouponRow>> {
    const { writer, keyring } = this;
    const couponId = await couponIdOf(this.reader, named, undefined);
    const id = keyring.deriveId(context.commandId, 0);
    await this.#refuseTooMany(couponId, id);
    const { redeemed_by_mistake } = reissuing;
    const expires_at = await this.#expiry(couponId, reissuing.expires_at);
    const terms = reissuing.terms === 'current' ? await this.#termsNow(couponId) : undefined;
    const asked = { terms, expires_at, redeemed_by_mistake, reason };
    const { position } = await correctCoupon(
      writer,
      couponId,
      { type: 'reissue', coupon_id: id, barcode: barcodeOf(keyring, id), ...asked },
      context,
    );
    const row = await writer.read(coupon, id);
    if (row === null) throw new Unavailable('the coupon is being issued', 5);
    return { row, position };
  }

  /** @throws DomainError coupon_not_reissued, but never for what an earlier try of the command has done */
  async #refuseTooMany(couponId: string, replacementId: string): Promise<void> {
    const { writer } = this;
    const row = await writer.read(coupon, couponId);
    if (row === null || row.replaced_by === replacementId) return;
    const state = await writer.read(purchase, row.purchase_id);
    if (state.status !== 'sold') return;
    const most = IN_A_LIFE.reissuesOfUnit * state.made.quantity;
    if (Object.keys(state.replacements).length < most) return;
    throw new DomainError(
      'coupon_not_reissued',
      `coupons of this purchase were reissued ${most} times, the most allowed`,
    );
  }

  /** @throws DomainError reissue_expiry_not_one for a local time that clocks skip or show twice */
  async #expiry(couponId: string, given: Reissuing['expires_at']): Promise<Instant | undefined> {
    if (typeof given !== 'string') return given;
    const row = await this.writer.read(coupon, couponId);
    // The decider refuses an unknown coupon.
    if (row === null) return undefined;
    const { time_zone } = await dealOfCoupon(this.writer, this.deals, row);
    const at = instantAt(given, time_zone);
    if (typeof at === 'string') throw new DomainError('reissue_expiry_not_one', at);
    return at;
  }

  /** The present terms of the coupon's deal; undefined for an unknown coupon, which the decider refuses. */
  async #termsNow(couponId: string): Promise<ReissueTerms | undefined> {
    const { writer } = this;
    const row = await writer.read(coupon, couponId);
    if (row === null) return undefined;
    const { terms } = await writer.readNow(inventory, row.deal_id);
    if (terms === null) throw new Error('a deal that was sold has terms');
    return terms;
  }
}
