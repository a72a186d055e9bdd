import { changing, rowAfter, type Fold } from '#kernel';
import type { SubscriptionCreated, SubscriptionEvent, SubscriptionStatus } from './subscription.events.js';

/** A subscription as its events describe it. */
export interface SubscriptionRow extends SubscriptionCreated {
  readonly status: SubscriptionStatus;
  readonly confirmed: boolean;
}

const becomes = changing<SubscriptionRow, keyof SubscriptionCreated>();

/** Folds a subscription's event into its row. */
export const subscriptionFold: Fold<SubscriptionRow, SubscriptionEvent> = {
  'subscription-created.v1': (_, { data }) => ({ ...data, status: 'active', confirmed: false }),
  'subscription-status-set.v1': (row, { data: { status } }) =>
    row && becomes(row, { status, confirmed: row.confirmed }),
  'subscription-confirmation-asked.v1': (row) => row,
  'subscription-confirmed.v1': (row) => row && becomes(row, { status: row.status, confirmed: true }),
};

/** The subscription after one of its events. */
export function subscriptionAfter(
  row: SubscriptionRow | undefined,
  event: SubscriptionEvent,
): SubscriptionRow | undefined {
  return rowAfter(subscriptionFold, row, event, event.data.subscription_id);
}
