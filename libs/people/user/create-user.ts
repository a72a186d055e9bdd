import { Unavailable, type CommandContext, type Done, type Engine, type Keyring } from '#eventsourcing';
import { email } from './email.decider.js';
import { hashPassword } from './passwords.js';
import type { Profile } from './profile.js';
import { user } from './user.decider.js';

/** The stream of an e-mail address within a partner: the same in any case (ruling E1). */
export function addressOf(keyring: Keyring, partnerId: string, emailAddress: string): string {
  return keyring.hash('email', `${partnerId}:${emailAddress.toLowerCase()}`);
}

/**
 * The id of the partner's user who holds an address, in any case and deleted or not; null while it is free.
 * @throws Unavailable while he is not registered yet, though his address is taken
 */
export async function findUserByEmail(engine: Engine, partnerId: string, emailAddress: string): Promise<string | null> {
  const { loop, keyring } = engine;
  const { user_id } = await loop.read(email, addressOf(keyring, partnerId, emailAddress));
  if (user_id !== null) await registered(engine, user_id);
  return user_id;
}

/** His address is taken first: a break of the process, or of its line to the log, may come between. */
async function registered({ loop }: Engine, userId: string): Promise<void> {
  if ((await loop.read(user, userId)) === null) throw new Unavailable('the user is being registered', 5);
}

/**
 * Creates a user whose id follows from the command. A password is hashed once it is known that the address is free.
 * @throws DomainError email_taken
 * @throws Unavailable while he is not registered yet, though his address is taken (a crash came between)
 */
export async function createUser(
  engine: Engine,
  partnerId: string,
  profile: Profile,
  password: string | null,
  context: CommandContext,
): Promise<Done<string>> {
  const { loop, keyring, personalData, passwordHashing, randomness } = engine;
  const userId = keyring.deriveId(context.commandId, 0);
  // He may have changed his address since: a repeat must not register him again.
  if ((await loop.read(user, userId)) !== null) return { row: userId, position: undefined };
  const address = addressOf(keyring, partnerId, profile.email);
  // Asked before a key is made for a person who may never be.
  await loop.execute(email, address, { type: 'ask', user_id: userId }, context);
  const hashed = password === null ? null : { password: await hashPassword(password, passwordHashing, randomness) };
  const taking = {
    user_id: userId,
    partner_id: partnerId,
    profile: await personalData.seal(userId, profile),
    password: hashed === null ? null : await personalData.seal(userId, hashed),
    address,
  };
  const { position } = await loop.execute(email, address, { type: 'take', user: taking }, context);
  await registered(engine, userId);
  return { row: userId, position };
}
