import type { PersonalData, Writer } from '#eventsourcing';
import { actorOf, type Call } from '#http';
import { personReads } from './person-reads.decider.js';
import type { ShownBy } from './person-reads.events.js';

/**
 * Notes in the log that the caller is about to see the personal data of a user. Call it before the data is opened: what cannot be
 * noted is not shown.
 * @throws Unavailable if it cannot be written now
 */
export async function recordRead(
  { writer, personalData }: { readonly writer: Writer; readonly personalData: PersonalData },
  call: Call,
  userId: string,
  shownBy: ShownBy,
): Promise<void> {
  personalData.mayShow();
  if (call.caller.kind === 'nobody') throw new Error('nobody reads personal data without a credential');
  const command = { type: 'note', user_id: userId, reader: actorOf(call.caller), shown_by: shownBy } as const;
  const { position } = await writer.execute(personReads, userId, command, call.command);
  call.position = position ?? call.position;
}
