import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Reader, showsPerson } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { findCard } from './card.queries.js';
import { wallet } from './wallet.decider.js';

/** Makes a card its user's default (interface 4.10). The row is the card's id. */
export class SetDefaultCard extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    readonly cardId: string,
    /** The position of the caller's last write: the lookup finds a card that they have just stored. */
    readonly since: Position,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SetDefaultCard)
export class SetDefaultCardHandler implements ICommandHandler<SetDefaultCard> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ partnerId, cardId, since, context }: SetDefaultCard): Promise<Done<string>> {
    const { writer } = this;
    const found = await findCard(this.reader, partnerId, cardId, since);
    if (found === undefined) throw notFound('you have no credit card with this id');
    showsPerson(found.user_id);
    // Asked before the user is checked, who may have been hidden since the first try. Another card may have become the default
    // since then and must stay it.
    const before = await writer.repeat(context, wallet, found.user_id, { types: ['default-card-set.v1'] });
    if (before !== undefined) return { row: cardId, position: before.position };
    if (!(await isUserOf(writer, partnerId, found.user_id))) throw notFound('you have no credit card with this id');
    const { position } = await writer.execute(wallet, found.user_id, { type: 'set-default', card_id: cardId }, context);
    return { row: cardId, position };
  }
}
