import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, eq, listRows, NEWEST_FIRST, type Listed, type Paging } from '#eventsourcing';
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
export class ListAddressesHandler implements IQueryHandler<ListAddresses, Listed<AddressStored>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness'>) {}

  execute(asked: ListAddresses): Promise<Listed<AddressStored>> {
    return listRows(this.engine, addressesView, eq('user_id', asked.userId), asked, NEWEST_FIRST);
  }
}
