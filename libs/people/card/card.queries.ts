import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { and, eq, NEWEST_FIRST, type Listed, type Paging, Reader, Writer } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import type { CardRow } from './card.row.js';
import { cardsView } from './card.view.js';

/**
 * The user of a partner's card; undefined for an unknown card and for another partner's (ruling A5).
 * @param since the position that the view must have reached
 */
export async function findCard(
  reader: Reader,
  partnerId: string,
  cardId: string,
  since: Position,
): Promise<{ readonly user_id: string } | undefined> {
  const found = await reader.row(cardsView, cardId, since);
  return found?.partner_id === partnerId ? { user_id: found.user_id } : undefined;
}

/** The user of a card; undefined for an unknown card. */
export class OwnerOfCard extends Query<string | undefined> {
  constructor(
    readonly partnerId: string,
    readonly cardId: string,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(OwnerOfCard)
export class OwnerOfCardHandler implements IQueryHandler<OwnerOfCard> {
  constructor(private readonly reader: Reader) {}

  async execute({ partnerId, cardId, since }: OwnerOfCard): Promise<string | undefined> {
    return (await findCard(this.reader, partnerId, cardId, since))?.user_id;
  }
}

/** A user's cards, newest first, deleted ones only if asked for; or their number, where the paging asks for it. */
export class ListCards extends Query<Listed<CardRow>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    /** Whether the list has deleted cards too (ruling I13). */
    readonly withDeleted: boolean,
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListCards)
export class ListCardsHandler implements IQueryHandler<ListCards> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute(asked: ListCards): Promise<Listed<CardRow>> {
    const { partnerId, userId, withDeleted } = asked;
    if (!(await isUserOf(this.writer, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
    const ofUser = eq('user_id', userId);
    const where = withDeleted ? ofUser : and(ofUser, eq('deleted', false));
    return this.reader.list(cardsView, where, asked, NEWEST_FIRST);
  }
}
