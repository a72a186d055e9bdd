import { later, Unavailable, type CommandContext, type Done, type Keyring, type Writer } from '#eventsourcing';
import { completeHolder } from './complete-emails.js';
import { email } from './email.decider.js';
import type { Position } from '#kernel';
import type { Profile } from './profile.js';
import { user } from './user.decider.js';
import type { UserParts } from './user-parts.js';

/** The stream id of an e-mail address within a partner, the same in upper and lower case (ruling E1). */
export function addressOf(keyring: Keyring, partnerId: string, emailAddress: string): string {
  return keyring.hash('email', `${partnerId}:${emailAddress.toLowerCase()}`);
}

/**
 * The id of the partner's user, deleted or not, who holds an address; null while it is free. Case does not matter.
 * @throws Unavailable while the address is taken but its user is not registered yet
 */
export async function findUserByEmail(
  writer: Writer,
  keyring: Keyring,
  partnerId: string,
  emailAddress: string,
): Promise<string | null> {
  const address = addressOf(keyring, partnerId, emailAddress);
  const { user_id } = await writer.read(email, address);
  if (user_id !== null) await registered(writer, user_id, address);
  return user_id;
}

/** A new user's address is taken first; a crash or a lost connection to the log may come before the registration. */
async function registered(writer: Writer, userId: string, address: string): Promise<Position | undefined> {
  const completed = await completeHolder(writer, address, await writer.read(email, address));
  if ((await writer.read(user, userId)) === null) throw new Unavailable('the user is being registered', 5);
  return completed;
}

/**
 * Creates a user whose id is derived from the command's id.
 * @param hash hashes the password, after the address was found free; null for none
 * @throws DomainError email_taken
 * @throws Unavailable while the address is taken but its user is not registered yet (a crash came in between)
 */
export async function createUser(
  { writer, keyring, personalData }: Readonly<UserParts>,
  partnerId: string,
  profile: Profile,
  hash: (() => Promise<string>) | null,
  context: CommandContext,
): Promise<Done<string>> {
  const userId = keyring.deriveId(context.commandId, 0);
  // The user may have changed their address since: a repeat must not register them again.
  if ((await writer.read(user, userId)) !== null) return { row: userId, position: undefined };
  const address = addressOf(keyring, partnerId, profile.email);
  // Asked first, so that no key is made for a user who is refused.
  await writer.execute(email, address, { type: 'ask', user_id: userId }, context);
  const hashed = hash === null ? null : { password: await hash() };
  const taking = {
    user_id: userId,
    partner_id: partnerId,
    profile: await personalData.seal(userId, profile),
    password: hashed === null ? null : await personalData.seal(userId, hashed),
    address,
  };
  const { position } = await writer.execute(email, address, { type: 'take', user: taking }, context);
  return { row: userId, position: later(position, await registered(writer, userId, address)) };
}
