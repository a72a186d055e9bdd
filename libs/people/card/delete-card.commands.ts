import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Reader, showsPerson } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { findCard } from './card.queries.js';
import { wallet } from './wallet.decider.js';

/**
 * Deletes a card of a user (ruling I13). The row is the card's id. The work list `deleted-cards` destroys its number as soon as
 * no open charge needs it.
 */
export class DeleteCard extends Command<Done<string>> {
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

@CommandHandler(DeleteCard)
export class DeleteCardHandler implements ICommandHandler<DeleteCard> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ partnerId, cardId, since, context }: DeleteCard): Promise<Done<string>> {
    const { writer } = this;
    const found = await findCard(this.reader, partnerId, cardId, since);
    if (found === undefined) throw notFound('you have no credit card with this id');
    const { user_id } = found;
    showsPerson(user_id);
    // Asked before the user is checked, who may have been hidden since the first try. The card may have been stored again since.
    const before = await writer.repeat(context, wallet, user_id, { types: ['card-deleted.v1'] });
    if (before !== undefined) return { row: cardId, position: before.position };
    if (!(await isUserOf(writer, partnerId, user_id))) throw notFound('you have no credit card with this id');
    const { position } = await writer.execute(wallet, user_id, { type: 'delete', card_id: cardId }, context);
    return { row: cardId, position };
  }
}
