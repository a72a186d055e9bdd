import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { createUser } from './create-user.js';
import type { Profile } from './profile.js';

/** Creates a user (interface 4.9, ruling E1). The row is the new user's id, `keyring.deriveId(context.commandId, 0)`. */
export class CreateUser {
  constructor(
    readonly partnerId: string,
    readonly profile: Profile,
    /** In clear text; null for none. */
    readonly password: string | null,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(CreateUser)
export class CreateUserHandler implements ICommandHandler<CreateUser, Done<string>> {
  constructor(private readonly engine: Engine) {}

  execute({ partnerId, profile, password, context }: CreateUser): Promise<Done<string>> {
    return createUser(this.engine, partnerId, profile, password, context);
  }
}
