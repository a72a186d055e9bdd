import { type Writer } from '#eventsourcing';
import { isUserOf } from '#people';
import { subscription, unknownSubscription } from './subscription.decider.js';
import type { SubscriptionRow } from './subscription.row.js';

/**
 * A partner's subscription, as the log has it now.
 * @throws DomainError not_found for an unknown one and another partner's (ruling A5)
 */
export async function findSubscription(
  writer: Writer,
  partnerId: string,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const row = await writer.shownNow(subscription, subscriptionId);
  if (row?.partner_id !== partnerId) throw unknownSubscription();
  return row;
}

/** Refuses a hidden user's subscription (ruling E1). @throws DomainError not_found */
export async function refuseHiddenUser(writer: Writer, { partner_id, user_id }: SubscriptionRow): Promise<void> {
  if (!(await isUserOf(writer, partner_id, user_id))) throw unknownSubscription();
}
