import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, eq } from '#eventsourcing';
import type { Paging } from '#http';
import { DomainError, type Position } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import type { CardRow } from './card.row.js';
import { cardsView } from './card.view.js';

/**
 * The user of a partner's card; undefined for an unknown card and for another partner's (ruling A5).
 * @param since the position that the view must have reached
 */
export async function findCard(
  { views, freshness }: Engine,
  partnerId: string,
  cardId: string,
  since: Position,
): Promise<{ readonly user_id: string } | undefined> {
  await freshness.until([cardsView], since);
  const found = await views.reader(cardsView).get(cardId);
  return found?.row.partner_id === partnerId ? { user_id: found.row.user_id } : undefined;
}

/** A user's cards, newest first; or their number, where the paging asks for it. */
export class ListCards {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListCards)
export class ListCardsHandler implements IQueryHandler<ListCards, readonly CardRow[] | number> {
  constructor(private readonly engine: Engine) {}

  async execute({ partnerId, userId, paging, since }: ListCards): Promise<readonly CardRow[] | number> {
    const { loop, views, freshness } = this.engine;
    if (!(await isUserOf(loop, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
    await freshness.until([cardsView], since);
    const reader = views.reader(cardsView);
    const where = eq('user_id', userId);
    if (paging.count) return reader.count(where);
    const sort = [{ field: 'created_at', descending: true }];
    return (await reader.find({ where, sort, ...paging })).map(({ row }) => row);
  }
}
