import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, later, writtenBefore, type CommandContext, type Done } from '#eventsourcing';
import type { EventBody } from '#kernel';
import { cardLink } from './card-link.decider.js';
import type { CardUnlinked } from './card-link.events.js';
import type { CardLinkRow } from './card-link.row.js';
import { completeFreeing } from './complete-links.js';
import { findCardLink, refuseHiddenUser } from './find-card-link.js';

/** Ends a card link, which frees its place (interface 3.3, ruling E4). */
export class Unlink {
  constructor(
    readonly partnerId: string,
    readonly cardLinkId: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(Unlink)
export class UnlinkHandler implements ICommandHandler<Unlink, Done<CardLinkRow>> {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>,
  ) {}

  async execute({ partnerId, cardLinkId: id, context }: Unlink): Promise<Done<CardLinkRow>> {
    const known = await findCardLink(this.engine, partnerId, id);
    // It may have been linked again since the first try, and its user hidden.
    const before = await writtenBefore(this.engine, context, cardLink, id, 'card-unlinked.v1');
    if (before !== undefined) {
      const { turn } = (before as EventBody as CardUnlinked).data;
      const completed = await completeFreeing(this.engine, known.row, turn);
      return { row: known.row, position: later(before.position, completed) };
    }
    await refuseHiddenUser(this.engine, known);
    const { state, position } = await this.engine.loop.execute(cardLink, id, { type: 'unlink' }, context);
    if (state.row === null) throw new Error('a card link that was unlinked has a row');
    return { row: state.row, position };
  }
}
