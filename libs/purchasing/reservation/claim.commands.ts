import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, later, type CommandContext, type Done } from '#eventsourcing';
import { DomainError } from '#kernel';
import { isUserOf } from '#people';
import { couponsFor } from '../coupon/coupon-ids.js';
import { DealDetails } from '../ports/deal-details.js';
import { explainNotSold } from '../not-sold.js';
import { inventory } from '../inventory/inventory.decider.js';
import { completeUnits, isClaimWhole } from '../complete-missing.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { readPurchase, rowFrom } from '../purchase/purchase.from-log.js';
import { findReservation } from './find-reservation.js';

/** Turns a reservation into a purchase, after the buyer paid the partner (interface 3.2, ruling D3). */
export class Claim {
  constructor(
    readonly partnerId: string,
    readonly purchaseId: string,
    readonly userId: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(Claim)
export class ClaimHandler implements ICommandHandler<Claim, Done<PurchaseRow>> {
  constructor(
    @Inject(Engine)
    private readonly engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness' | 'keyring'>,
    private readonly deals: DealDetails,
  ) {}

  async execute({ partnerId, purchaseId, userId, context }: Claim): Promise<Done<PurchaseRow>> {
    const { loop, keyring } = this.engine;
    const { deal, quantity, price, created_at, holder_id } = await findReservation(loop, purchaseId, partnerId);
    if (!(await isUserOf(loop, partnerId, userId))) {
      // A hidden user may have claimed it before: then the decision finds the same purchase.
      const { sales } = await loop.read(inventory, deal.id);
      if (sales.get(purchaseId) !== userId) throw new DomainError('user_not_found', 'not found');
    }
    const claim = {
      type: 'claim',
      purchase_id: purchaseId,
      partner_id: partnerId,
      user_id: userId,
      holder_id,
      quantity,
      price,
      deal,
      reserved_at: created_at,
      coupons: couponsFor(keyring, purchaseId, quantity),
    } as const;
    const sold = await explainNotSold(this.deals, deal.id, loop.execute(inventory, deal.id, claim, context));
    const written = rowFrom(
      sold.followers.filter((event) => event.type.startsWith('purchase-') || event.type.startsWith('coupon-')),
    );
    if (written?.coupons.length === quantity) return { row: written, position: sold.position };
    // An earlier try sold the units, or an append with a lost answer wrote some of the followers.
    const isWhole = await isClaimWhole(this.engine, purchaseId, quantity);
    const completed = isWhole ? undefined : await completeUnits(this.engine, deal.id, purchaseId);
    const row = await readPurchase(this.engine, purchaseId, quantity);
    return { row, position: later(sold.position, completed) };
  }
}
