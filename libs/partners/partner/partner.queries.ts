import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { everything, NEWEST_FIRST, type Listed, type Paging, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { KeyUses, type DaysOfUse } from './key-uses.js';
import { partnersView, type PartnerRow } from './partner.view.js';

/** All partners, newest first. */
export class ListPartners extends Query<Listed<PartnerWithUses>> {
  constructor(
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

/** A partner, and when its keys were used last. */
interface PartnerWithUses {
  readonly row: PartnerRow;
  readonly days: DaysOfUse;
}

@QueryHandler(ListPartners)
export class ListPartnersHandler implements IQueryHandler<ListPartners> {
  constructor(
    private readonly reader: Reader,
    private readonly uses: KeyUses,
  ) {}

  async execute(asked: ListPartners): Promise<Listed<PartnerWithUses>> {
    const rows = await this.reader.list(partnersView, everything, asked, NEWEST_FIRST);
    if (typeof rows === 'number') return rows;
    return Promise.all(rows.map(async (row) => ({ row, days: await this.uses.of(row.id) })));
  }
}
