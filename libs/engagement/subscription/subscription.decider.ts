import { defineDecider, notFound, type DomainError } from '#kernel';
import type { SubscriptionCreated, SubscriptionEvent, SubscriptionStatus } from './subscription.events.js';
import { subscriptionAfter, type SubscriptionRow } from './subscription.row.js';

export type SubscriptionCommand =
  /**
   * An existing subscription stays the same one, and becomes active again (ruling H3). If it is active and not confirmed, it asks
   * again for the mail by which the user confirms it: the last one may not have reached them (ruling E5).
   */
  | { readonly type: 'subscribe'; readonly subscription: Omit<SubscriptionCreated, 'created_at'> }
  | { readonly type: 'set-status'; readonly status: SubscriptionStatus }
  | { readonly type: 'confirm' };

/** A user's subscription to the mails of a region: one per user and region (interface 4.12, ruling E5). */
export const subscription = defineDecider<SubscriptionCommand, SubscriptionRow | null, SubscriptionEvent>({
  category: 'subscription',
  initialState: null,
  decide(command, state, now) {
    if (command.type === 'subscribe') {
      if (state !== null) return again(state);
      return [{ type: 'subscription-created.v1', data: { ...command.subscription, created_at: now } }];
    }
    if (state === null) throw unknownSubscription();
    if (command.type === 'set-status') return setStatus(state, command.status);
    return state.confirmed ? [] : [{ type: 'subscription-confirmed.v1', data: namesOf(state) }];
  },
  evolve: (state, event) => subscriptionAfter(state ?? undefined, event) ?? null,
});

function again(state: SubscriptionRow): SubscriptionEvent[] {
  if (state.status !== 'active' || state.confirmed) return setStatus(state, 'active');
  return [{ type: 'subscription-confirmation-asked.v1', data: namesOf(state) }];
}

function setStatus(state: SubscriptionRow, status: SubscriptionStatus): SubscriptionEvent[] {
  if (state.status === status) return [];
  return [{ type: 'subscription-status-set.v1', data: { ...namesOf(state), status } }];
}

function namesOf({
  subscription_id,
  user_id,
  region_id,
}: SubscriptionRow): Pick<SubscriptionRow, 'subscription_id' | 'user_id' | 'region_id'> {
  return { subscription_id, user_id, region_id };
}

/** The same refusal for an unknown subscription, a hidden user's and another partner's (rulings A5, A8). */
export function unknownSubscription(): DomainError {
  return notFound('you have no subscription with this id');
}
