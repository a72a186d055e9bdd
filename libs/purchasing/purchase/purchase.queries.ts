import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, NEWEST_FIRST, type Paging, type ListedVersions, type StoredRow, Reader, Writer } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import { MOST_EXAMINED } from '#kernel/bounds';
import { reservation } from '../reservation/reservation.decider.js';
import { purchase } from './purchase.decider.js';
import { type PurchaseFilters, type PurchasesOf, wherePurchases } from './purchase-filters.js';
import type { PurchaseRow } from './purchase.row.js';
import { purchasesView } from './purchase.view.js';

/** One purchase or reservation of a partner. */
export class GetPurchase extends Query<StoredRow<PurchaseRow>> {
  constructor(
    readonly partnerId: string,
    readonly purchaseId: string,
    /** The position that the view must have reached. */
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(GetPurchase)
export class GetPurchaseHandler implements IQueryHandler<GetPurchase> {
  constructor(private readonly reader: Reader) {}

  async execute({ partnerId, purchaseId, since }: GetPurchase): Promise<StoredRow<PurchaseRow>> {
    const found = await this.reader.stored(purchasesView, purchaseId, since);
    if (found?.row.partner_id !== partnerId) throw notFound('you have no purchase or reservation with this id');
    return found;
  }
}

/**
 * The user of a purchase; of a reservation that nobody has claimed, the user whose access token placed it, or null for the
 * partner itself (ruling I9). From the log, because a view may not have the purchase yet; undefined for an unknown one.
 */
export class OwnerOfPurchase extends Query<string | null | undefined> {
  constructor(
    readonly partnerId: string,
    readonly purchaseId: string,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(OwnerOfPurchase)
export class OwnerOfPurchaseHandler implements IQueryHandler<OwnerOfPurchase> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, purchaseId }: OwnerOfPurchase): Promise<string | null | undefined> {
    const { writer } = this;
    const held = await writer.read(reservation, purchaseId);
    if (held.status !== 'none') {
      if (held.placed.partner_id !== partnerId) return undefined;
      return held.status === 'claimed' ? held.user_id : held.placed.holder_id;
    }
    const bought = await writer.read(purchase, purchaseId);
    if (bought.status === 'none') return undefined;
    const { partner_id, user_id } = 'made' in bought ? bought.made : bought.opened;
    return partner_id === partnerId ? user_id : undefined;
  }
}

/** The purchases of a user or of a partner, newest first: which rows a page has, not yet read. */
export class ListPurchases extends Query<ListedVersions> {
  constructor(
    readonly of: PurchasesOf,
    readonly filters: PurchaseFilters,
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListPurchases)
export class ListPurchasesHandler implements IQueryHandler<ListPurchases> {
  constructor(
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws DomainError list_too_costly */
  execute(asked: ListPurchases): Promise<ListedVersions> {
    const { of, filters } = asked;
    const where = () => wherePurchases(of, filters, this.clock.now());
    // Every row of a user's whole list fits.
    const isWhole = 'user_id' in of && Object.values(filters).every((filter) => filter === undefined);
    return this.reader.versions(purchasesView, where, asked, NEWEST_FIRST, isWhole ? undefined : BOUND);
  }
}

const BOUND = { examine: MOST_EXAMINED, narrowedBy: 'from and to' };
