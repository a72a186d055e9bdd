import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { email } from './user.decider.js';
import type { Profile } from './user.row.js';

/** Creates a user (interface 4.9, ruling E1). The row is the new user's id. */
export class CreateUser {
  constructor(
    readonly partnerId: string,
    readonly profile: Profile,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(CreateUser)
export class CreateUserHandler implements ICommandHandler<CreateUser, Done<string>> {
  constructor(private readonly engine: Engine) {}

  async execute({ partnerId, profile, context }: CreateUser): Promise<Done<string>> {
    const { loop, keyring, personalData } = this.engine;
    const userId = keyring.deriveId(context.commandId, 0);
    const address = keyring.hash('email', `${partnerId}:${profile.email.toLowerCase()}`);
    // Looked up before a key is made for a person who may never be.
    const holder = await loop.read(email, address);
    const sealed = holder.user_id === null ? await personalData.seal(userId, profile) : '';
    const user = { user_id: userId, partner_id: partnerId, profile: sealed };
    const { position } = await loop.execute(email, address, { type: 'take', user }, context);
    return { row: userId, position };
  }
}
