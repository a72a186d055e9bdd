import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer } from '#eventsourcing';
import { isUserOf } from '#people';
import { savedDeal, unknownSavedDeal } from './saved-deal.decider.js';

/** Removes a saved deal (interface 4.11). The row is its id. */
export class RemoveSavedDeal extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    readonly savedDealId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RemoveSavedDeal)
export class RemoveSavedDealHandler implements ICommandHandler<RemoveSavedDeal> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, savedDealId: id, context }: RemoveSavedDeal): Promise<Done<string>> {
    const { writer } = this;
    // Asked first: since the first try the user may have been hidden, or may have saved the deal again.
    const before = await this.writer.repeat(context, savedDeal, id, { types: ['saved-deal-removed.v1'] });
    if (before !== undefined) return { row: id, position: before.position };
    const known = await writer.read(savedDeal, id);
    if (known.status !== 'kept') throw unknownSavedDeal();
    // Also another partner's: its user is none of this partner's (ruling A5).
    if (!(await isUserOf(writer, partnerId, known.saved.user_id))) throw unknownSavedDeal();
    const { position } = await writer.execute(savedDeal, id, { type: 'remove' }, context);
    return { row: id, position };
  }
}
