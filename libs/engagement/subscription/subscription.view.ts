import { defineView, value } from '#kernel';
import type { SubscriptionEvent } from './subscription.events.js';
import { subscriptionFold, type SubscriptionRow } from './subscription.row.js';

/** Subscriptions by id; indexes list a user's by time, and those of a region that get its daily update. */
export const subscriptionsView = defineView<
  SubscriptionRow,
  SubscriptionEvent,
  'user_id' | 'created_at' | 'region_id' | 'is_open'
>({
  name: 'subscriptions',
  version: 2,
  key: (event) => event.data.subscription_id,
  on: subscriptionFold,
  fields: {
    user_id: value((row) => row.user_id),
    created_at: value((row) => row.created_at),
    region_id: value((row) => row.region_id),
    is_open: value((row) => isOpen(row)),
  },
  indexes: [
    ['user_id', 'created_at'],
    ['region_id', 'is_open'],
  ],
});

/** Whether the user gets the daily update of the region: only if active and confirmed (ruling F5). */
export function isOpen({ status, confirmed }: Pick<SubscriptionRow, 'status' | 'confirmed'>): boolean {
  return status === 'active' && confirmed;
}
