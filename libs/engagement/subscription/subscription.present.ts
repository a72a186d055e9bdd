import { type AnswerOf, unixDateTime } from '#http';
import type { SUBSCRIPTION } from './subscription.answer.js';
import type { SubscriptionDetails } from './subscription.events.js';
import type { SubscriptionRow } from './subscription.row.js';

/**
 * A subscription's answer (interface 2.11, ruling B8).
 * @param details null for an erased user
 */
export function presentSubscription(
  { subscription_id, user_id, status, confirmed, region_id, created_at }: SubscriptionRow,
  region_name: string,
  details: SubscriptionDetails | null,
): AnswerOf<typeof SUBSCRIPTION> {
  return {
    id: subscription_id,
    user_id,
    status,
    confirmed,
    region_id,
    region_name,
    zip: details?.zip ?? null,
    created_at: unixDateTime(created_at),
    source: details?.source ?? null,
  };
}
