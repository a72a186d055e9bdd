import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  Engine,
  eq,
  listVersions,
  NEWEST_FIRST,
  readRow,
  readStored,
  type Paging,
  type ListedVersions,
  type StoredRow,
} from '#eventsourcing';
import { notFound, type Position } from '#kernel';
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
export class GetPurchaseHandler implements IQueryHandler<GetPurchase, StoredRow<PurchaseRow>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  async execute({ partnerId, purchaseId, since }: GetPurchase): Promise<StoredRow<PurchaseRow>> {
    const found = await readStored(this.engine, purchasesView, purchaseId, since);
    if (found?.row.partner_id !== partnerId) throw notFound('you have no purchase or reservation with this id');
    return found;
  }
}

/** The user of a purchase; undefined for a reservation that nobody has claimed, and for an unknown purchase. */
export class OwnerOfPurchase extends GetPurchase {}

@QueryHandler(OwnerOfPurchase)
export class OwnerOfPurchaseHandler implements IQueryHandler<OwnerOfPurchase, string | null | undefined> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  async execute({ partnerId, purchaseId, since }: OwnerOfPurchase): Promise<string | null | undefined> {
    const row = await readRow(this.engine, purchasesView, purchaseId, since);
    if (row?.partner_id !== partnerId) return undefined;
    // Only a reservation has a deadline.
    return row.deadline === null ? row.user_id : undefined;
  }
}

/** A user's purchases, newest first: which rows a page has, not yet read. */
export class ListPurchases {
  constructor(
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListPurchases)
export class ListPurchasesHandler implements IQueryHandler<ListPurchases, ListedVersions> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  execute(asked: ListPurchases): Promise<ListedVersions> {
    return listVersions(this.engine, purchasesView, eq('user_id', asked.userId), asked, NEWEST_FIRST);
  }
}
