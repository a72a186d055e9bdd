import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { and, eq, NEWEST_FIRST, oneOf, type Listed, type Paging, Writer, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { cardLink } from './card-link.decider.js';
import type { CardLinkRow, CardLinkStateName } from './card-link.row.js';
import { cardLinksView } from './card-link.view.js';

/** The user of a card link; undefined for an unknown one. */
export class OwnerOfCardLink extends Query<string | undefined> {
  constructor(
    readonly partnerId: string,
    readonly cardLinkId: string,
    /** It is read from the log, which has everything that was written. */
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(OwnerOfCardLink)
export class OwnerOfCardLinkHandler implements IQueryHandler<OwnerOfCardLink> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, cardLinkId }: OwnerOfCardLink): Promise<string | undefined> {
    const { row } = await this.writer.read(cardLink, cardLinkId);
    return row?.partner_id === partnerId ? row.user_id : undefined;
  }
}

/** A user's card links, newest first. */
export class ListCardLinks extends Query<Listed<CardLinkRow>> {
  constructor(
    readonly userId: string,
    /** Any of these states; empty for all states. */
    readonly filter: readonly CardLinkStateName[],
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListCardLinks)
export class ListCardLinksHandler implements IQueryHandler<ListCardLinks> {
  constructor(private readonly reader: Reader) {}

  execute(asked: ListCardLinks): Promise<Listed<CardLinkRow>> {
    const states = asked.filter.length === 0 ? [] : [oneOf('state' as const, asked.filter)];
    const where = and<'user_id' | 'state'>(eq('user_id', asked.userId), ...states);
    return this.reader.list(cardLinksView, where, asked, NEWEST_FIRST);
  }
}
