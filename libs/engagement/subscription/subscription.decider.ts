import { defineDecider, notFound, type DomainError } from '#kernel';
import type { SubscriptionCreated, SubscriptionEvent, SubscriptionStatus } from './subscription.events.js';
import { asOfNow, type AddressNow } from './confirmed-address.js';
import { subscriptionAfter, type SubscriptionRow } from './subscription.row.js';

export type SubscriptionCommand =
  /**
   * An existing subscription stays the same one, and becomes active again (ruling H3). If it is active and not confirmed, it asks
   * again for the mail by which the user confirms it: the last one may not have reached them (ruling E5).
   */
  | {
      readonly type: 'subscribe';
      readonly subscription: Omit<SubscriptionCreated, 'created_at'>;
      readonly now: AddressNow;
    }
  /** Asks for a new confirmation, if the user confirmed for an address that they have no more. */
  | { readonly type: 'ask-again'; readonly now: AddressNow }
  | { readonly type: 'set-status'; readonly status: SubscriptionStatus }
  | { readonly type: 'confirm'; readonly address: string };

/** A user's subscription to the mails of a region: one per user and region (interface 4.12, ruling E5). */
export const subscription = defineDecider<SubscriptionCommand, SubscriptionRow | null, SubscriptionEvent>({
  category: 'subscription',
  initialState: null,
  decide(command, state, now) {
    if (command.type === 'subscribe') {
      if (state !== null) return again(state, command.now);
      return [{ type: 'subscription-created.v1', data: { ...command.subscription, created_at: now } }];
    }
    if (state === null) throw unknownSubscription();
    if (command.type === 'set-status') return setStatus(state, command.status);
    if (command.type === 'ask-again') {
      const isOutdated = state.status === 'active' && state.confirmed && !asOfNow(state, command.now).confirmed;
      return isOutdated ? [asked(state)] : [];
    }
    const { address } = command;
    if (state.confirmed && state.confirmed_address === address) return [];
    return [{ type: 'subscription-confirmed.v1', data: { ...namesOf(state), address } }];
  },
  evolve: (state, event) => subscriptionAfter(state ?? undefined, event) ?? null,
});

function again(state: SubscriptionRow, now: AddressNow): SubscriptionEvent[] {
  if (state.status !== 'active' || asOfNow(state, now).confirmed) return setStatus(state, 'active');
  return [asked(state)];
}

function asked(state: SubscriptionRow): SubscriptionEvent {
  return { type: 'subscription-confirmation-asked.v1', data: namesOf(state) };
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
