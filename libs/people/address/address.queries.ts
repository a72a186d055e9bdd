import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { and, eq, NEWEST_FIRST, type Listed, type Paging, Writer, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import type { AddressStored } from './address.events.js';
import { address } from './address.decider.js';
import { addressesView } from './address.view.js';

/** The user of a shipping address; undefined for an unknown one. */
export class OwnerOfAddress extends Query<string | undefined> {
  constructor(
    readonly partnerId: string,
    readonly addressId: string,
    /** The address is read from the log, which has everything that was written. */
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(OwnerOfAddress)
export class OwnerOfAddressHandler implements IQueryHandler<OwnerOfAddress> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, addressId }: OwnerOfAddress): Promise<string | undefined> {
    const known = await this.writer.read(address, addressId);
    return known?.partner_id === partnerId ? known.user_id : undefined;
  }
}

/** A user's shipping addresses, newest first; not those that were removed. */
export class ListAddresses extends Query<Listed<AddressStored>> {
  constructor(
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListAddresses)
export class ListAddressesHandler implements IQueryHandler<ListAddresses> {
  constructor(private readonly reader: Reader) {}

  execute(asked: ListAddresses): Promise<Listed<AddressStored>> {
    const where = and(eq('user_id', asked.userId), eq('removed', false));
    return this.reader.list(addressesView, where, asked, NEWEST_FIRST);
  }
}
