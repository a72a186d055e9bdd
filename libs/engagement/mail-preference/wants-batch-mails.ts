import { type Writer } from '#eventsourcing';
import { mailPreference } from './mail-preference.decider.js';

/** Whether a user may get batch mails of their partner, as the log has it now: they have not unsubscribed (ruling H3). */
export async function wantsBatchMails(writer: Writer, userId: string): Promise<boolean> {
  return (await writer.readNow(mailPreference, userId)).declined_at === null;
}
