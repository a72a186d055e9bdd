import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { later, type CommandContext, type Done, Writer } from '#eventsourcing';
import { inventory } from '../inventory/inventory.decider.js';
import { completeEnd } from '../complete-missing.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { findReservation } from './find-reservation.js';
import { reservation } from './reservation.decider.js';
import { rowOfReservation } from './reservation.row.js';

/** Gives a reservation's units back (interface 3.2, ruling D4). */
export class Release extends Command<Done<PurchaseRow>> {
  constructor(
    readonly partnerId: string,
    readonly purchaseId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(Release)
export class ReleaseHandler implements ICommandHandler<Release> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, purchaseId, context }: Release): Promise<Done<PurchaseRow>> {
    const { writer } = this;
    const placed = await findReservation(writer, purchaseId, partnerId);
    const released = await writer.execute(
      inventory,
      placed.deal.id,
      { type: 'release', reservation_id: purchaseId, number: placed.number },
      context,
    );
    const { status } = await writer.read(reservation, purchaseId);
    // Nothing was written, so the answer shows what there was.
    if (status !== 'placed' && released.position === undefined) await writer.shown(reservation, purchaseId);
    const completed = status === 'placed' ? await completeEnd(this.writer, placed.deal.id, purchaseId) : undefined;
    const row = { ...rowOfReservation(placed), fulfillment_state: 'released' } as const;
    return { row, position: later(released.position, completed) };
  }
}
