import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { eq, NEWEST_FIRST, type Listed, type Paging, Writer, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { savedDeal } from './saved-deal.decider.js';
import type { DealSaved } from './saved-deal.events.js';
import { savedDealsView } from './saved-deal.view.js';

/** The user of a saved deal; undefined for an unknown or removed one. */
export class OwnerOfSavedDeal extends Query<string | undefined> {
  constructor(
    readonly partnerId: string,
    readonly savedDealId: string,
    /** It is read from the log, which has everything that was written. */
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(OwnerOfSavedDeal)
export class OwnerOfSavedDealHandler implements IQueryHandler<OwnerOfSavedDeal> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, savedDealId }: OwnerOfSavedDeal): Promise<string | undefined> {
    const known = await this.writer.read(savedDeal, savedDealId);
    return known.status === 'kept' && known.saved.partner_id === partnerId ? known.saved.user_id : undefined;
  }
}

/** A user's saved deals, newest first. */
export class ListSavedDeals extends Query<Listed<DealSaved>> {
  constructor(
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListSavedDeals)
export class ListSavedDealsHandler implements IQueryHandler<ListSavedDeals> {
  constructor(private readonly reader: Reader) {}

  execute(asked: ListSavedDeals): Promise<Listed<DealSaved>> {
    return this.reader.list(savedDealsView, eq('user_id', asked.userId), asked, NEWEST_FIRST);
  }
}
