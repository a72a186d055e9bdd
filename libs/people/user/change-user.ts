import { Unavailable, type CommandContext, type Done, showsRow } from '#eventsourcing';
import { DomainError, notFound } from '#kernel';
import { completeReleases } from './complete-emails.js';
import { openProfile, type Profile } from './profile.js';
import { user, type UserState } from './user.decider.js';
import type { UserParts } from './user-parts.js';

/** Tries of a change while other changes come in between. */
const TRIES = 100;

/** A user with their opened profile. */
export interface KnownUser {
  readonly state: UserState;
  readonly profile: Profile;
}

/** What a change makes of a user. */
export interface WantedUser {
  readonly profile: Profile;
  readonly deleted: boolean;
}

/**
 * Reads a partner's user, deleted or not, from the log. Treats another partner's user like an unknown one (ruling A5).
 * @throws DomainError not_found
 */
export async function knownUser(
  { writer, personalData }: Pick<UserParts, 'writer' | 'personalData'>,
  partnerId: string,
  userId: string,
): Promise<KnownUser> {
  const state = await writer.shown(user, userId);
  const profile = state?.partner_id === partnerId ? await openProfile(personalData, state) : null;
  if (state === null || profile === null) throw notFound('you have no user with this id');
  return { state, profile };
}

/**
 * Reads a user, works out the change and writes it. Starts again when another change came in between, so that none is
 * lost. Writes nothing where nothing changes. The change also releases the addresses that the user left.
 * @param hash of the new password; null to keep the old one
 * @throws Unavailable when other requests change the user all the time
 */
export async function changeUser(
  parts: Pick<UserParts, 'writer' | 'personalData'>,
  partnerId: string,
  userId: string,
  want: (known: KnownUser) => WantedUser,
  hash: string | null,
  context: CommandContext,
): Promise<Done<KnownUser>> {
  const { writer, personalData } = parts;
  const hashed = hash === null ? null : { password: hash };
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const known = await knownUser(parts, partnerId, userId);
    const { state } = known;
    const { profile, deleted } = want(known);
    if (hashed === null && isSo(known, { profile, deleted }))
      return { row: known, position: await completeReleases(writer, state) };
    // The change releases those addresses, and then nobody looks at the ones before.
    if (state.left.length > 0) await completeReleases(writer, state);
    const change = {
      type: 'change',
      based_on: state.version,
      profile: await personalData.seal(userId, profile),
      password: hashed === null ? null : await personalData.seal(userId, hashed),
      deleted,
    } as const;
    try {
      const { position, last } = await writer.execute(user, userId, change, context);
      showsRow(last);
      return { row: { state, profile }, position };
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'user_moved')) throw error;
    }
  }
  throw new Unavailable('the user is being changed by others');
}

function isSo({ state, profile }: KnownUser, wanted: WantedUser): boolean {
  const settled = state.new_email === null && state.left.length === 0;
  return settled && state.deleted === wanted.deleted && JSON.stringify(profile) === JSON.stringify(wanted.profile);
}

/**
 * The user, if an earlier try of this command has changed them and broke off after the change.
 * @returns undefined if no earlier try has
 */
export async function changedBefore(
  parts: Pick<UserParts, 'writer' | 'personalData'>,
  partnerId: string,
  userId: string,
  context: CommandContext,
): Promise<Done<KnownUser> | undefined> {
  const { writer } = parts;
  if ((await writer.repeat(context, user, userId, { types: ['user-changed.v1'] })) === undefined) return undefined;
  await writer.readNow(user, userId);
  const known = await knownUser(parts, partnerId, userId);
  return { row: known, position: await completeReleases(writer, known.state) };
}
