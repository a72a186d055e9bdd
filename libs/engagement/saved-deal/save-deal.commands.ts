import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deal } from '#catalogue/model';
import { type CommandContext, type Done, Writer, Keyring } from '#eventsourcing';
import { DomainError } from '#kernel';
import { isUserOf } from '#people';
import { savedDeal } from './saved-deal.decider.js';
import type { DealSaved } from './saved-deal.events.js';

/** What a caller sees of a saved deal. */
type Saved = Pick<DealSaved, 'saved_deal_id' | 'deal_id' | 'user_id'>;

/** Saves a deal for a user (interface 4.11, ruling E3). One that the user has saved already stays as it is. */
export class SaveDeal extends Command<Done<Saved>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly dealId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SaveDeal)
export class SaveDealHandler implements ICommandHandler<SaveDeal> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
  ) {}

  async execute({ partnerId, userId, dealId, context }: SaveDeal): Promise<Done<Saved>> {
    const { writer, keyring } = this;
    const id = keyring.hash('saved-deal', JSON.stringify([userId, dealId]));
    const row: Saved = { saved_deal_id: id, deal_id: dealId, user_id: userId };
    // Asked first: since the first try the user may have been hidden, and another call may have removed the saved deal.
    const before = await this.writer.repeat(context, savedDeal, id, { types: ['deal-saved.v1'] });
    if (before !== undefined) return { row, position: before.position };
    if ((await writer.read(deal, dealId)) === null) throw new DomainError('deal_not_found', 'Unable to find');
    if (!(await isUserOf(writer, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
    const saved = { ...row, partner_id: partnerId };
    const { position } = await writer.execute(savedDeal, id, { type: 'save', saved }, context);
    if (position === undefined) await writer.shown(savedDeal, id);
    return { row, position };
  }
}
