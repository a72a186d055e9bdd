import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { PeopleSettings } from '../settings.js';
import { createUser } from './create-user.js';
import { hashPassword } from './passwords.js';
import { newProfile, type ProfileInput } from './profile.js';

/** Creates a user (interface 4.9, ruling E1). The row is the new user's id, `keyring.deriveId(context.commandId, 0)`. */
export class CreateUser {
  constructor(
    readonly partnerId: string,
    /** Without credits, the user gets the signup credit. */
    readonly profile: ProfileInput & { readonly email: string },
    /** In clear text; null for none. */
    readonly password: string | null,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(CreateUser)
export class CreateUserHandler implements ICommandHandler<CreateUser, Done<string>> {
  constructor(
    @Inject(Engine)
    private readonly engine: Pick<
      Engine,
      'loop' | 'log' | 'codec' | 'clock' | 'randomness' | 'keyring' | 'personalData'
    >,
    private readonly settings: PeopleSettings,
  ) {}

  execute({ partnerId, profile, password, context }: CreateUser): Promise<Done<string>> {
    const { signupCredit, passwordHashing } = this.settings;
    const hash = password === null ? null : () => hashPassword(password, passwordHashing, this.engine.randomness);
    return createUser(this.engine, partnerId, newProfile(profile, signupCredit), hash, context);
  }
}
