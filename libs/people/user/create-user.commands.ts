import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Randomness } from '#eventsourcing';
import { UserParts } from './user-parts.js';
import { PeopleSettings } from '../settings.js';
import { createUser } from './create-user.js';
import { hashPassword } from './passwords.js';
import { newProfile, type ProfileInput } from './profile.js';

/** Creates a user (interface 4.9, ruling E1). The row is the new user's id, `keyring.deriveId(context.commandId, 0)`. */
export class CreateUser extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    /** Without credits, the user gets the signup credit. */
    readonly profile: ProfileInput & { readonly email: string },
    /** In clear text; null for none. */
    readonly password: string | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateUser)
export class CreateUserHandler implements ICommandHandler<CreateUser> {
  constructor(
    private readonly parts: UserParts,
    @Inject(Randomness) private readonly randomness: Randomness,
    private readonly settings: PeopleSettings,
  ) {}

  execute({ partnerId, profile, password, context }: CreateUser): Promise<Done<string>> {
    const { signupCredit, passwordHashing } = this.settings;
    const hash = password === null ? null : () => hashPassword(password, passwordHashing, this.randomness);
    return createUser(this.parts, partnerId, newProfile(profile, signupCredit), hash, context);
  }
}
