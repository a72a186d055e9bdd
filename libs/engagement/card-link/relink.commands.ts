import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, later, writtenBefore, type CommandContext, type Done } from '#eventsourcing';
import { notIn } from './card-link.decider.js';
import type { CardLinkRow } from './card-link.row.js';
import { completeFreeing, completeLink } from './complete-links.js';
import { findCardLink, refuseHiddenUser } from './find-card-link.js';
import { findLinkableDeal } from './linkable-deal.js';
import { linkage } from './linkage.decider.js';

/** Links an unlinked card link again, if its deal has a place (interface 3.3, ruling E4). */
export class Relink {
  constructor(
    readonly partnerId: string,
    readonly cardLinkId: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(Relink)
export class RelinkHandler implements ICommandHandler<Relink, Done<CardLinkRow>> {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>,
  ) {}

  async execute({ partnerId, cardLinkId: id, context }: Relink): Promise<Done<CardLinkRow>> {
    const { engine } = this;
    const known = await findCardLink(engine, partnerId, id);
    const { deal_id, user_id } = known.row;
    // It may have been unlinked again since the first try, and its user hidden.
    const before = await writtenBefore(engine, context, linkage, deal_id, 'user-linked.v1');
    if (before !== undefined) {
      const completed = await completeLink(engine, deal_id, id);
      const { row } = await findCardLink(engine, partnerId, id);
      return { row, position: later(before.position, completed) };
    }
    await refuseHiddenUser(engine, known);
    if (known.row.state !== 'unlinked') throw notIn('unlinked', known.row);
    // The place of its last turn must be free first: it may be the deal's only one.
    await completeFreeing(engine, known.row, known.turn);
    const { merchant_id, terms } = await findLinkableDeal(engine, deal_id);
    const link = { card_link_id: id, deal_id, user_id, partner_id: partnerId, merchant_id, turn: known.turn + 1 };
    const { events, position } = await engine.loop.execute(linkage, deal_id, { type: 'take', link, terms }, context);
    // Another call has just linked it.
    if (events.length === 0) throw notIn('unlinked', { state: 'linked' });
    return { row: (await findCardLink(engine, partnerId, id)).row, position };
  }
}
