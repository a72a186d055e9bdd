import { defineView, value } from '#kernel';
import type { SubscriptionEvent } from './subscription.events.js';
import { subscriptionFold, type SubscriptionRow } from './subscription.row.js';

/** Subscriptions by id; indexes list a user's by time, and those of a region that get its daily update. */
export const subscriptionsView = defineView<
  SubscriptionRow,
  SubscriptionEvent,
  'user_id' | 'partner_id' | 'created_at' | 'region_id' | 'is_open'
>({
  name: 'subscriptions',
  version: 3,
  key: (event) => event.data.subscription_id,
  on: subscriptionFold,
  fields: {
    user_id: value((row) => row.user_id),
    partner_id: value((row) => row.partner_id),
    created_at: value((row) => row.created_at),
    region_id: value((row) => row.region_id),
    is_open: value((row) => isOpen(row)),
  },
  indexes: [['region_id', 'is_open']],
  orders: [
    { by: ['user_id', { descending: 'created_at' }], covers: [] },
    { by: ['partner_id', { descending: 'created_at' }], covers: [] },
    { by: ['region_id', { descending: 'created_at' }], covers: [] },
    { by: [{ descending: 'created_at' }], covers: [] },
  ],
});

/** Whether the user gets the daily update of the region: only if active and confirmed (ruling F5). */
export function isOpen({ status, confirmed }: Pick<SubscriptionRow, 'status' | 'confirmed'>): boolean {
  return status === 'active' && confirmed;
}
