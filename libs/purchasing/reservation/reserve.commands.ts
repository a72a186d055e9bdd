import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { later, lookingAgain, Unavailable, type CommandContext, type Done, Writer, Keyring } from '#eventsourcing';
import { DealDetails } from '../ports/deal-details.js';
import { explainNotSold } from '../not-sold.js';
import { inventory } from '../inventory/inventory.decider.js';
import { isAbout } from '../complete-missing.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { rowFrom } from '../purchase/purchase.from-log.js';
import { rowOfReservation } from './reservation.row.js';
import { reservation } from './reservation.decider.js';

/** Holds units of a deal for five minutes (interface 3.2, ruling D2). */
export class Reserve extends Command<Done<PurchaseRow>> {
  constructor(
    readonly partnerId: string,
    readonly dealId: string,
    readonly quantity: number,
    /** The user whose access token asks; null for the partner itself. */
    readonly holderId: string | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(Reserve)
export class ReserveHandler implements ICommandHandler<Reserve> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    private readonly deals: DealDetails,
  ) {}

  execute(command: Reserve): Promise<Done<PurchaseRow>> {
    return lookingAgain(command.context, (context) => this.#reserve(command, context));
  }

  async #reserve(
    { partnerId, dealId, quantity, holderId }: Reserve,
    context: CommandContext,
  ): Promise<Done<PurchaseRow>> {
    const { writer, keyring } = this;
    const id = keyring.deriveId(context.commandId, 0);
    const looked = (await writer.read(inventory, dealId)).recent.closings;
    const before = context.resumed === true ? await this.#placed(dealId, id, context) : undefined;
    if (before !== undefined) return before;
    const hold = {
      type: 'place-hold',
      reservation_id: id,
      partner_id: partnerId,
      quantity,
      holder_id: holderId,
      looked,
    } as const;
    const placed = await explainNotSold(this.deals, dealId, writer.execute(inventory, dealId, hold, context));
    const row = rowFrom(placed.followers.filter((event) => event.type === 'reservation-placed.v1'));
    if (row !== undefined) return { row, position: placed.position };
    // No new event: an earlier try of this request placed the hold, whatever its state is now.
    const known = await this.#placed(dealId, id, context);
    if (known === undefined) throw new Unavailable('the reservation is being completed', 5);
    return { ...known, position: later(placed.position, known.position) };
  }

  /** The reservation that an earlier try has placed, whose follower may be missing; undefined if none has come so far. */
  async #placed(dealId: string, id: string, context: CommandContext): Promise<Done<PurchaseRow> | undefined> {
    const { writer } = this;
    const isMissing = (await writer.readNow(reservation, id)).status === 'none';
    const again = { ...context, resumed: true };
    const before = isMissing ? await writer.repeat(again, inventory, dealId, { about: isAbout(id) }) : undefined;
    const known = await writer.read(reservation, id);
    return known.status === 'none' ? undefined : { row: rowOfReservation(known.placed), position: before?.position };
  }
}
