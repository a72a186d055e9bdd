import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Keyring, PersonalData } from '#eventsourcing';
import { DomainError } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { address as addresses } from './address.decider.js';
import type { Address } from './address.schema.js';

/** Stores a shipping address of a user (ruling D13). The row is its id; the same address gets the same id. */
export class StoreAddress {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly address: Address,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(StoreAddress)
export class StoreAddressHandler implements ICommandHandler<StoreAddress, Done<string>> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    private readonly personalData: PersonalData,
  ) {}

  async execute({ partnerId, userId, address, context }: StoreAddress): Promise<Done<string>> {
    const { writer, keyring, personalData } = this;
    if (!(await isUserOf(writer, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
    const { name, address_one, address_two, postal_code, city, state, country } = address;
    const content = [userId, name, address_one, address_two, postal_code, city, state, country];
    const id = keyring.hash('address', JSON.stringify(content));
    const sealed = await personalData.seal(userId, address);
    const stored = { address_id: id, user_id: userId, partner_id: partnerId, address: sealed };
    const { position } = await writer.execute(addresses, id, { type: 'store', address: stored }, context);
    return { row: id, position };
  }
}
