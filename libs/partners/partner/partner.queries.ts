import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, everything, listRows, NEWEST_FIRST, type Listed, type Paging } from '#eventsourcing';
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
export class ListPartnersHandler implements IQueryHandler<ListPartners, Listed<PartnerRow>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  execute(asked: ListPartners): Promise<Listed<PartnerRow>> {
    return listRows(this.engine, partnersView, everything, asked, NEWEST_FIRST);
  }
}
