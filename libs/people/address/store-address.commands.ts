import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Keyring, PersonalData } from '#eventsourcing';
import { DomainError } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { address as addresses } from './address.decider.js';
import type { Address } from './address.schema.js';

/** Stores a shipping address of a user (ruling D13). The row is its id; the same address gets the same id. */
export class StoreAddress extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly address: Address,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(StoreAddress)
export class StoreAddressHandler implements ICommandHandler<StoreAddress> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    private readonly personalData: PersonalData,
  ) {}

  async execute({ partnerId, userId, address, context }: StoreAddress): Promise<Done<string>> {
    const { writer, keyring, personalData } = this;
    const { name, address_one, address_two, postal_code, city, state, country } = address;
    const content = [userId, name, address_one, address_two, postal_code, city, state, country];
    const id = keyring.hash('address', JSON.stringify(content));
    // Asked before the user is checked, who may have been hidden since the first try. It may have been removed again since.
    const stored = ['address-stored.v1', 'address-restored.v1'] as const;
    const before = await writer.repeat(context, addresses, id, { types: stored });
    if (before !== undefined) return { row: id, position: before.position };
    if (!(await isUserOf(writer, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
    const sealed = await personalData.seal(userId, address);
    const whole = { address_id: id, user_id: userId, partner_id: partnerId, address: sealed };
    const { position } = await writer.execute(addresses, id, { type: 'store', address: whole }, context);
    return { row: id, position };
  }
}
