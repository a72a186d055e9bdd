import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deal } from '#catalogue/model';
import { lookingAgain, Unavailable, type CommandContext, type Done, Writer } from '#eventsourcing';
import { streamName, type EventBody } from '#kernel';
import { cardLink, type RedeemCardLink } from './card-link.decider.js';
import type { CardLinkEvent, CardLinkRedeemed } from './card-link.events.js';
import { redemptionOf } from './card-link.state.js';
import { findCardLink, type KnownCardLink, refuseErasedUser } from './find-card-link.js';

/** A transaction at the deal's merchant, as a caller reports it. */
export type Transaction = RedeemCardLink['transaction'];

/**
 * Reports a redemption of a card link (interface 4.13, rulings E4, H1). The row is the link's id. A repeat finds the redemption by the
 * transaction's reference.
 */
export class RedeemLink extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    readonly cardLinkId: string,
    readonly transaction: Transaction,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RedeemLink)
export class RedeemLinkHandler implements ICommandHandler<RedeemLink> {
  constructor(private readonly writer: Writer) {}

  execute(command: RedeemLink): Promise<Done<string>> {
    return lookingAgain(command.context, (context) => this.#redeem(command, context));
  }

  async #redeem(
    { partnerId, cardLinkId: id, transaction }: RedeemLink,
    context: CommandContext,
  ): Promise<Done<string>> {
    const { writer } = this;
    const link = await findCardLink(this.writer, partnerId, id);
    await refuseErasedUser(writer, link);
    const found = await writer.read(deal, link.row.deal_id);
    if (found === null) throw new Error('a deal that was linked exists');
    const { attributes: terms } = found;
    const earlier = await this.#earlier(link, transaction);
    const { position } = await writer.execute(cardLink, id, { type: 'redeem', transaction, terms, earlier }, context);
    return { row: id, position };
  }

  /** The redemption that the link already has under the transaction's reference. @throws Unavailable if the log does not give it */
  async #earlier(link: KnownCardLink, transaction: Transaction): Promise<CardLinkRedeemed | null> {
    const revision = redemptionOf(link, transaction.transaction_reference);
    if (revision === null) return null;
    const stream = streamName(cardLink.category, link.row.card_link_id);
    const event = (await this.writer.event(stream, revision)) as EventBody | undefined as CardLinkEvent | undefined;
    if (event?.type !== 'card-link-redeemed.v1') {
      throw new Unavailable('the event log does not give the earlier redemption', 1, stream);
    }
    return event.data;
  }
}
