import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { having, type Listed, NEWEST_FIRST, type Paging, Reader } from '#eventsourcing';
import { MOST_EXAMINED } from '#kernel/bounds';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { type PurchaseField, purchasesView } from '../purchase/purchase.view.js';

/** What a partner has resold under a reference: nothing, or one purchase (ruling D11). */
export class ListResales extends Query<Listed<PurchaseRow>> {
  constructor(
    readonly partnerId: string,
    readonly reference: string,
    readonly paging: Paging,
  ) {
    super();
  }
}

@QueryHandler(ListResales)
export class ListResalesHandler implements IQueryHandler<ListResales> {
  constructor(private readonly reader: Reader) {}

  /** As new as the log: whoever asks because an answer was lost has no position to send. */
  async execute({ partnerId, reference, paging }: ListResales): Promise<Listed<PurchaseRow>> {
    const { reader } = this;
    const asked = { paging, since: await reader.end() };
    const where = having<PurchaseField>(['reference', reference], ['partner_id', partnerId]);
    return reader.list(purchasesView, where, asked, NEWEST_FIRST, BOUND);
  }
}

/** A reference belongs to one purchase of each partner, so few rows have it: with a bound, its own index is read. */
const BOUND = { examine: MOST_EXAMINED, narrowedBy: 'transaction_reference' };
