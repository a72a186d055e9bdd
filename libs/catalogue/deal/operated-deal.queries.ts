import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Writer } from '#eventsourcing';
import { DomainError } from '#kernel';
import { inventory, type InventoryState } from '#purchasing/model';
import { deal } from './deal.decider.js';
import type { DealRow } from './deal.row.js';

/** A deal as its streams have it now. */
export interface OperatedDeal {
  readonly row: DealRow;
  readonly stock: InventoryState;
}

/** Reads a deal and its units from the log: no view is behind then. */
export class GetOperatedDeal extends Query<OperatedDeal> {
  constructor(readonly id: string) {
    super();
  }
}

@QueryHandler(GetOperatedDeal)
export class GetOperatedDealHandler implements IQueryHandler<GetOperatedDeal> {
  constructor(private readonly writer: Writer) {}

  async execute({ id }: GetOperatedDeal): Promise<OperatedDeal> {
    const row = await this.writer.readNow(deal, id);
    if (row === null) throw new DomainError('deal_not_found', 'Unable to find');
    return { row, stock: await this.writer.readNow(inventory, id) };
  }
}
