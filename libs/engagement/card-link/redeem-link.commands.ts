import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deal } from '#catalogue/model';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { cardLink, type RedeemCardLink } from './card-link.decider.js';
import { findCardLink } from './find-card-link.js';

/** A transaction at the deal's merchant, as a caller reports it. */
export type Transaction = RedeemCardLink['transaction'];

/** Reports a redemption of a card link (interface 4.13, rulings E4, H1). The row is the link's id. */
export class RedeemLink {
  constructor(
    readonly partnerId: string,
    readonly cardLinkId: string,
    readonly transaction: Transaction,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(RedeemLink)
export class RedeemLinkHandler implements ICommandHandler<RedeemLink, Done<string>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'loop'>) {}

  async execute({ partnerId, cardLinkId: id, transaction, context }: RedeemLink): Promise<Done<string>> {
    const { loop } = this.engine;
    const { row } = await findCardLink(this.engine, partnerId, id);
    const found = await loop.read(deal, row.deal_id);
    if (found === null) throw new Error('a deal that was linked exists');
    const { attributes: terms } = found;
    const { position } = await loop.execute(cardLink, id, { type: 'redeem', transaction, terms }, context);
    return { row: id, position };
  }
}
