import { Unavailable, type CommandContext } from '#eventsourcing';
import { DomainError } from '#kernel';
import { IN_A_LIFE } from '#kernel/bounds';
import type { KnownUser } from './change-user.js';
import { completeHolder } from './complete-emails.js';
import { addressOf } from './create-user.js';
import { email } from './email.decider.js';
import { user } from './user.decider.js';
import type { UserParts } from './user-parts.js';

/**
 * Changes a user's e-mail address: the stream of the new address decides. The user holds the old one until their next
 * change. Writes nothing where the user has the address already; upper and lower case count as equal.
 * @throws DomainError email_taken | emails_used_up
 * @throws Unavailable while the user's stream has not followed (a crash came in between)
 */
export async function exchangeEmail(
  { writer, keyring, personalData }: Readonly<UserParts>,
  { state: known }: Pick<KnownUser, 'state'>,
  emailAddress: string,
  context: CommandContext,
): Promise<void> {
  const { user_id, partner_id, address: from } = known;
  const address = addressOf(keyring, partner_id, emailAddress);
  if (address === from) return;
  if (!Object.hasOwn(known.takings, address) && Object.keys(known.takings).length >= IN_A_LIFE.addresses)
    throw new DomainError('emails_used_up', `the user has had ${IN_A_LIFE.addresses} addresses`);
  const exchange = {
    type: 'exchange',
    user_id,
    change_id: keyring.deriveId(context.commandId, 1),
    from,
    address,
    email: await personalData.seal(user_id, { email: emailAddress }),
  } as const;
  const { state } = await writer.execute(email, address, exchange, context);
  await completeHolder(writer, address, state);
  const { taking } = state;
  const followed = await writer.read(user, user_id);
  if ((followed?.takings[address] ?? 0) < taking) throw new Unavailable('the e-mail address is being changed', 5);
}
