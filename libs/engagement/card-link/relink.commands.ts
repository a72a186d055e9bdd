import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Clock } from '#eventsourcing';
import { notIn } from './card-link.decider.js';
import type { CardLinkRow } from './card-link.row.js';
import { completeFreeing } from './complete-links.js';
import { findCardLink, refuseHiddenUser } from './find-card-link.js';
import { findLinkableDeal } from './linkable-deal.js';
import { linkage } from './linkage.decider.js';

/** Links an unlinked card link again, if its deal has a place (interface 3.3, ruling E4). */
export class Relink extends Command<Done<CardLinkRow>> {
  constructor(
    readonly partnerId: string,
    readonly cardLinkId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(Relink)
export class RelinkHandler implements ICommandHandler<Relink> {
  constructor(
    private readonly writer: Writer,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async execute({ partnerId, cardLinkId: id, context }: Relink): Promise<Done<CardLinkRow>> {
    const { writer, clock } = this;
    const known = await findCardLink(writer, partnerId, id);
    const { deal_id, user_id } = known.row;
    // It may have been unlinked again since the first try, and its user hidden.
    const before = await writer.repeat(context, linkage, deal_id, { types: ['user-linked.v1'] });
    if (before !== undefined) {
      const { row } = await findCardLink(writer, partnerId, id);
      return { row, position: before.position };
    }
    await refuseHiddenUser(writer, known);
    if (known.row.state !== 'unlinked') throw notIn('unlinked', known.row);
    // The place of its last turn must be free first: it may be the deal's only one.
    await completeFreeing(writer, known.row, known.turn);
    const { merchant_id, terms } = await findLinkableDeal(writer, clock, deal_id);
    const link = { card_link_id: id, deal_id, user_id, partner_id: partnerId, merchant_id, turn: known.turn + 1 };
    const { events, position } = await writer.execute(linkage, deal_id, { type: 'take', link, terms }, context);
    // Another call has just linked it.
    if (events.length === 0) throw notIn('unlinked', { state: 'linked' });
    return { row: (await findCardLink(writer, partnerId, id)).row, position };
  }
}
