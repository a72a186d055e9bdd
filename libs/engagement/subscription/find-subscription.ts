import type { Engine } from '#eventsourcing';
import { isUserOf } from '#people';
import { subscription, unknownSubscription } from './subscription.decider.js';
import type { SubscriptionRow } from './subscription.row.js';

/**
 * A partner's subscription, as the log has it now.
 * @throws DomainError not_found for an unknown one and another partner's (ruling A5)
 */
export async function findSubscription(
  { loop }: Pick<Engine, 'loop'>,
  partnerId: string,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const row = await loop.readNow(subscription, subscriptionId);
  if (row?.partner_id !== partnerId) throw unknownSubscription();
  return row;
}

/** Refuses a hidden user's subscription (ruling E1). @throws DomainError not_found */
export async function refuseHiddenUser(
  { loop }: Pick<Engine, 'loop'>,
  { partner_id, user_id }: SubscriptionRow,
): Promise<void> {
  if (!(await isUserOf(loop, partner_id, user_id))) throw unknownSubscription();
}
