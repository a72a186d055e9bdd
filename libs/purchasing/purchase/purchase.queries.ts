import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, eq, type StoredRow } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import type { Paging } from '#http';
import type { PurchaseRow } from './purchase.row.js';
import { purchasesView } from './purchase.view.js';

/** One purchase or reservation of a partner. */
export class GetPurchase {
  constructor(
    readonly partnerId: string,
    readonly purchaseId: string,
    /** The position that the view must have reached. */
    readonly since: Position,
  ) {}
}

@QueryHandler(GetPurchase)
export class GetPurchaseHandler implements IQueryHandler<GetPurchase, PurchaseRow> {
  constructor(private readonly engine: Engine) {}

  async execute({ partnerId, purchaseId, since }: GetPurchase): Promise<PurchaseRow> {
    const { views, freshness } = this.engine;
    await freshness.until([purchasesView], since);
    const found = await views.reader(purchasesView).get(purchaseId);
    if (found?.row.partner_id !== partnerId) throw notFound('you have no purchase or reservation with this id');
    return found.row;
  }
}

/** A user's purchases, newest first. */
export class ListPurchases {
  constructor(
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListPurchases)
export class ListPurchasesHandler implements IQueryHandler<ListPurchases, readonly PurchaseRow[] | number> {
  constructor(private readonly engine: Engine) {}

  async execute({ userId, paging, since }: ListPurchases): Promise<readonly PurchaseRow[] | number> {
    const { views, freshness } = this.engine;
    await freshness.until([purchasesView], since);
    const reader = views.reader(purchasesView);
    const where = eq('user_id', userId);
    if (paging.count) return reader.count(where);
    const sort = [{ field: 'created_at', descending: true }];
    const rows: readonly StoredRow<PurchaseRow>[] = await reader.find({ where, sort, ...paging });
    return rows.map(({ row }) => row);
  }
}
