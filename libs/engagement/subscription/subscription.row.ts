import { changing, rowAfter, type Fold } from '#kernel';
import type { SubscriptionCreated, SubscriptionEvent, SubscriptionStatus } from './subscription.events.js';

/** A subscription as its events describe it. */
export interface SubscriptionRow extends SubscriptionCreated {
  readonly status: SubscriptionStatus;
  /** Whether the user confirmed it, perhaps for an address that they have no more. */
  readonly confirmed: boolean;
  /** The stream of the address for which they did; null for none. */
  readonly confirmed_address: string | null;
}

const becomes = changing<SubscriptionRow, keyof SubscriptionCreated>();

/** Folds a subscription's event into its row. */
export const subscriptionFold: Fold<SubscriptionRow, SubscriptionEvent> = {
  'subscription-created.v1': (_, { data }) => ({
    ...data,
    status: 'active',
    confirmed: false,
    confirmed_address: null,
  }),
  'subscription-status-set.v1': (row, { data: { status } }) =>
    row && becomes(row, { status, confirmed: row.confirmed, confirmed_address: row.confirmed_address }),
  'subscription-confirmation-asked.v1': (row) =>
    row && becomes(row, { status: row.status, confirmed: false, confirmed_address: null }),
  'subscription-confirmed.v1': (row, { data: { address } }) =>
    row && becomes(row, { status: row.status, confirmed: true, confirmed_address: address }),
};

/** The subscription after one of its events. */
export function subscriptionAfter(
  row: SubscriptionRow | undefined,
  event: SubscriptionEvent,
): SubscriptionRow | undefined {
  return rowAfter(subscriptionFold, row, event, event.data.subscription_id);
}
