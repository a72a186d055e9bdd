import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, showsRow, Writer } from '#eventsourcing';
import { cardLink } from './card-link.decider.js';
import type { CardLinkRow } from './card-link.row.js';
import { findCardLink, refuseHiddenUser } from './find-card-link.js';

/** Ends a card link, which frees its place (interface 3.3, ruling E4). */
export class Unlink extends Command<Done<CardLinkRow>> {
  constructor(
    readonly partnerId: string,
    readonly cardLinkId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(Unlink)
export class UnlinkHandler implements ICommandHandler<Unlink> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, cardLinkId: id, context }: Unlink): Promise<Done<CardLinkRow>> {
    const known = await findCardLink(this.writer, partnerId, id);
    // It may have been linked again since the first try, and its user hidden.
    const before = await this.writer.repeat(context, cardLink, id, { types: ['card-unlinked.v1'] });
    if (before !== undefined) return { row: known.row, position: before.position };
    await refuseHiddenUser(this.writer, known);
    const { state, position, last } = await this.writer.execute(cardLink, id, { type: 'unlink' }, context);
    showsRow(last);
    if (state.row === null) throw new Error('a card link that was unlinked has a row');
    return { row: state.row, position };
  }
}
