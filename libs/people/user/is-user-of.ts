import type { Writer } from '#eventsourcing';
import { user } from './user.decider.js';

/** Whether the partner has a user with this id who is not deleted. */
export async function isUserOf(writer: Writer, partnerId: string, userId: string): Promise<boolean> {
  const known = await writer.read(user, userId);
  return known?.partner_id === partnerId && !known.deleted;
}
