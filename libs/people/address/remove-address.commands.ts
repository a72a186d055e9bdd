import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer } from '#eventsourcing';
import { isUserOf } from '../user/is-user-of.js';
import { address, unknownAddress } from './address.decider.js';

/** Takes a shipping address out of its user's list (ruling I13). The row is its id. */
export class RemoveAddress extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    readonly addressId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RemoveAddress)
export class RemoveAddressHandler implements ICommandHandler<RemoveAddress> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, addressId, context }: RemoveAddress): Promise<Done<string>> {
    const { writer } = this;
    const known = await writer.read(address, addressId);
    if (known?.partner_id !== partnerId) throw unknownAddress();
    // Asked before the user is checked, who may have been hidden since the first try. It may have been stored again since.
    const before = await this.writer.repeat(context, address, addressId, { types: ['address-removed.v1'] });
    if (before !== undefined) return { row: addressId, position: before.position };
    if (!(await isUserOf(writer, partnerId, known.user_id))) throw unknownAddress();
    const { position } = await writer.execute(address, addressId, { type: 'remove' }, context);
    return { row: addressId, position };
  }
}
