import type { Engine } from '#eventsourcing';
import { mailPreference } from './mail-preference.decider.js';

/** Whether a user may get batch mails of their partner, as the log has it now: they have not unsubscribed (ruling H3). */
export async function wantsBatchMails({ loop }: Pick<Engine, 'loop'>, userId: string): Promise<boolean> {
  return (await loop.readNow(mailPreference, userId)).declined_at === null;
}
