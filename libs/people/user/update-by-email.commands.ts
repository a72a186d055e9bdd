import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Unavailable, type CommandContext, type Done } from '#eventsourcing';
import { DomainError } from '#kernel';
import { changedBefore, changeUser, type KnownUser, type WantedUser } from './change-user.js';
import { createUser, findUserByEmail } from './create-user.js';
import { changedProfile, newProfile } from './profile.js';
import { UserParts } from './user-parts.js';
import { PeopleSettings } from '../settings.js';
import { user } from './user.decider.js';
import type { UpdateByEmailInput } from './user.schema.js';

/** Changes the user with this e-mail address, deleted or not, or creates one (interface 4.9, ruling E2). */
export class UpdateByEmail extends Command<Done<KnownUser>> {
  constructor(
    readonly partnerId: string,
    readonly input: UpdateByEmailInput,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(UpdateByEmail)
export class UpdateByEmailHandler implements ICommandHandler<UpdateByEmail> {
  constructor(
    private readonly parts: UserParts,
    private readonly settings: PeopleSettings,
  ) {}

  async execute(command: UpdateByEmail): Promise<Done<KnownUser>> {
    const holder = await findUserByEmail(this.parts.writer, this.parts.keyring, command.partnerId, command.input.email);
    if (holder === null) return this.#create(command);
    // A first try that broke off may have created the user.
    return holder === this.parts.keyring.deriveId(command.context.commandId, 0)
      ? this.#create(command)
      : this.#change(command, holder);
  }

  async #create(command: UpdateByEmail): Promise<Done<KnownUser>> {
    const { partnerId, input, context } = command;
    const { email, attributes, deleted } = input;
    const profile = newProfile({ ...attributes, email }, this.settings.signupCredit);
    try {
      const created = await createUser(this.parts, partnerId, profile, null, context);
      const asGiven = ({ state, profile: now }: KnownUser): WantedUser => ({
        profile: now,
        deleted: deleted ?? state.deleted,
      });
      const done = await changeUser(this.parts, partnerId, created.row, asGiven, null, context);
      return { row: done.row, position: done.position ?? created.position };
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'email_taken')) throw error;
      // Another request was faster: its user has the address now.
      return this.execute(command);
    }
  }

  async #change(command: UpdateByEmail, userId: string): Promise<Done<KnownUser>> {
    const { parts } = this;
    const { partnerId, input, context } = command;
    // The address is taken before its user is registered; another request may have got so far.
    if ((await parts.writer.read(user, userId)) === null) throw new Unavailable('the user is being registered', 5);
    const before = await changedBefore(parts, partnerId, userId, context);
    if (before !== undefined) return before;
    const wanted = (known: KnownUser): WantedUser => {
      if (!input.overwriteToken) refuseOtherToken(known.profile.token, input.attributes.token);
      const profile = changedProfile(known.profile, input.attributes);
      return { profile, deleted: input.deleted ?? known.state.deleted };
    };
    return changeUser(parts, partnerId, userId, wanted, null, context);
  }
}

/** @throws DomainError token_changed (ruling E2) */
function refuseOtherToken(stored: string | null, input: string | null | undefined): void {
  if (stored === null || input === null || input === undefined || input === stored) return;
  throw new DomainError('token_changed', 'Unable to update, partner token has changed', {
    detail: 'another token is stored: send overwrite_token=true to replace it',
  });
}
