import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, eq, listRows, NEWEST_FIRST, type Listed, type Paging } from '#eventsourcing';
import type { Position } from '#kernel';
import type { DealSaved } from './saved-deal.events.js';
import { savedDealsView } from './saved-deal.view.js';

/** A user's saved deals, newest first. */
export class ListSavedDeals {
  constructor(
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListSavedDeals)
export class ListSavedDealsHandler implements IQueryHandler<ListSavedDeals, Listed<DealSaved>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  execute(asked: ListSavedDeals): Promise<Listed<DealSaved>> {
    return listRows(this.engine, savedDealsView, eq('user_id', asked.userId), asked, NEWEST_FIRST);
  }
}
