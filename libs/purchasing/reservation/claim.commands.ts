import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { later, type CommandContext, type Done, Writer, Keyring } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { isUserOf } from '#people';
import { couponsFor } from '../coupon/coupon-ids.js';
import { DealDetails } from '../ports/deal-details.js';
import { explainNotSold } from '../not-sold.js';
import { inventory } from '../inventory/inventory.decider.js';
import { completeSale } from '../complete-missing.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { readPurchase, rowFrom } from '../purchase/purchase.from-log.js';
import { findReservation } from './find-reservation.js';
import { reservation } from './reservation.decider.js';
import type { ReservationPlaced } from './reservation.events.js';

/** Turns a reservation into a purchase, after the buyer paid the partner (interface 3.2, ruling D3). */
export class Claim extends Command<Done<PurchaseRow>> {
  constructor(
    readonly partnerId: string,
    readonly purchaseId: string,
    readonly userId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(Claim)
export class ClaimHandler implements ICommandHandler<Claim> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    private readonly deals: DealDetails,
  ) {}

  async execute({ partnerId, purchaseId, userId, context }: Claim): Promise<Done<PurchaseRow>> {
    const { writer, keyring } = this;
    const placed = await findReservation(writer, purchaseId, partnerId);
    const { number, deal, quantity, price, created_at, holder_id } = placed;
    if (!(await isUserOf(writer, partnerId, userId))) {
      // A hidden user may have claimed it before: then the decision finds the same purchase.
      const { buyer } = await this.#claimed(placed);
      if (buyer !== userId) throw new DomainError('user_not_found', 'not found');
    }
    const claim = {
      type: 'claim',
      purchase_id: purchaseId,
      number,
      partner_id: partnerId,
      user_id: userId,
      holder_id,
      quantity,
      price,
      deal,
      reserved_at: created_at,
      coupons: couponsFor(keyring, purchaseId, quantity),
    } as const;
    const sold = await explainNotSold(this.deals, deal.id, writer.execute(inventory, deal.id, claim, context));
    const written = rowFrom(
      sold.followers.filter((event) => event.type.startsWith('purchase-') || event.type.startsWith('coupon-')),
    );
    if (written?.coupons.length === quantity) return { row: written, position: sold.position };
    // An earlier try sold the units, or an append with a lost answer wrote some of the followers.
    const { buyer, completed } = await this.#claimed(placed);
    const position = later(sold.position, completed);
    if (buyer !== undefined && buyer !== userId) {
      throw new DomainError('cannot_fulfill', 'the reservation was claimed for another user', {}, position);
    }
    return { row: await readPurchase(writer, keyring, purchaseId, quantity), position };
  }

  /**
   * The user for whom the reservation was claimed, as its own stream says: the inventory only knows that it was. First writes
   * what is missing of the claim.
   */
  async #claimed({ purchase_id, number, deal }: ReservationPlaced): Promise<Claimed> {
    const { writer } = this;
    const { sold_numbers } = await writer.read(inventory, deal.id);
    if (!sold_numbers.has(number)) return { buyer: undefined, completed: undefined };
    const completed = await completeSale(writer, deal.id, purchase_id);
    const reserved = await writer.read(reservation, purchase_id);
    return { buyer: reserved.status === 'claimed' ? reserved.user_id : undefined, completed };
  }
}

/** A claim that was made before. */
interface Claimed {
  /** Undefined if the reservation is not claimed. */
  readonly buyer: string | undefined;
  /** The position of what was missing, if anything was. */
  readonly completed: Position | undefined;
}
