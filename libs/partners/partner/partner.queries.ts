import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, everything } from '#eventsourcing';
import type { Paging } from '#http';
import type { Position } from '#kernel';
import { partnersView, type PartnerRow } from './partner.view.js';

/** All partners, newest first. */
export class ListPartners {
  constructor(
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListPartners)
export class ListPartnersHandler implements IQueryHandler<ListPartners, readonly PartnerRow[] | number> {
  constructor(private readonly engine: Engine) {}

  async execute({ paging, since }: ListPartners): Promise<readonly PartnerRow[] | number> {
    const { views, freshness } = this.engine;
    await freshness.until([partnersView], since);
    const reader = views.reader(partnersView);
    if (paging.count) return reader.count(everything);
    const sort = [{ field: 'created_at', descending: true }];
    return (await reader.find({ where: everything, sort, ...paging })).map(({ row }) => row);
  }
}
