import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { boundedBytes, type CommandContext, type Done, Randomness } from '#eventsourcing';
import { notFound } from '#kernel';
import { changedBefore, changeUser, knownUser, type KnownUser, type WantedUser } from './change-user.js';
import { addressOf } from './create-user.js';
import { exchangeEmail } from './exchange-email.js';
import { UserParts } from './user-parts.js';
import { PeopleSettings } from '../settings.js';
import { hashPassword } from './passwords.js';
import { changedProfile } from './profile.js';
import type { UserChangeInput } from './user.schema.js';

/** Changes the given attributes of a user (interface 4.9, ruling E1). Reaches a deleted user only if it restores them. */
export class ChangeUser extends Command<Done<KnownUser>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly input: UserChangeInput,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * A change of the e-mail address is two decisions: the address's stream may refuse; then the user's stream takes all other
 * changes. The repeat of the request finishes what a crash between the two leaves.
 */
@CommandHandler(ChangeUser)
export class ChangeUserHandler implements ICommandHandler<ChangeUser> {
  constructor(
    private readonly parts: UserParts,
    @Inject(Randomness) private readonly randomness: Randomness,
    private readonly settings: PeopleSettings,
  ) {}

  async execute({ partnerId, userId, input, context }: ChangeUser): Promise<Done<KnownUser>> {
    const { parts } = this;
    const known = await knownUser(parts, partnerId, userId);
    const before = await changedBefore(parts, partnerId, userId, context);
    if (before !== undefined) return before;
    if (known.state.deleted && input.deleted !== false) throw notFound('you have no user with this id');
    if (input.attributes.email !== undefined) {
      await this.#refuseTooLarge(known, input);
      await exchangeEmail(parts, known, input.attributes.email, context);
    }
    const { passwordHashing } = this.settings;
    const hash = input.password === null ? null : await hashPassword(input.password, passwordHashing, this.randomness);
    return changeUser(parts, partnerId, userId, (now) => this.#wanted(now, input), hash, context);
  }

  /** Refuses a profile that is too large for an event, before the user gets another address. */
  async #refuseTooLarge({ state, profile }: KnownUser, { attributes }: UserChangeInput): Promise<void> {
    const wanted = await this.parts.personalData.seal(state.user_id, changedProfile(profile, attributes));
    boundedBytes({ type: 'user-changed.v1', data: { user_id: state.user_id, profile: wanted } });
  }

  #wanted(now: KnownUser, { attributes, deleted }: UserChangeInput): WantedUser {
    const { email, ...rest } = attributes;
    // Another request may have changed the address again since: then that newer address stays.
    const same =
      email !== undefined && addressOf(this.parts.keyring, now.state.partner_id, email) === now.state.address;
    const profile = changedProfile(now.profile, same ? attributes : rest);
    return { profile, deleted: deleted ?? now.state.deleted };
  }
}
