import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, eq, type StoredRow } from '#eventsourcing';
import type { Paging } from '#http';
import type { Position } from '#kernel';
import type { AddressStored } from './address.events.js';
import { addressesView } from './address.view.js';

/** A user's shipping addresses, newest first. */
export class ListAddresses {
  constructor(
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListAddresses)
export class ListAddressesHandler implements IQueryHandler<ListAddresses, readonly AddressStored[] | number> {
  constructor(private readonly engine: Engine) {}

  async execute({ userId, paging, since }: ListAddresses): Promise<readonly AddressStored[] | number> {
    const { views, freshness } = this.engine;
    await freshness.until([addressesView], since);
    const reader = views.reader(addressesView);
    const where = eq('user_id', userId);
    if (paging.count) return reader.count(where);
    const sort = [{ field: 'created_at', descending: true }];
    const rows: readonly StoredRow<AddressStored>[] = await reader.find({ where, sort, ...paging });
    return rows.map(({ row }) => row);
  }
}
