import { defineDecider, type Instant } from '#kernel';
import type { BatchMailsDeclined, MailPreferenceEvent } from './mail-preference.events.js';

export interface DeclineBatchMailsOnce {
  readonly type: 'decline-batch-mails';
  readonly user: Omit<BatchMailsDeclined, 'declined_at'>;
}

export interface MailPreferenceState {
  /** Since when the user wants no batch mails; null while they want them. */
  readonly declined_at: Instant | null;
}

/** Which mails a user of a partner wants; the stream's id is the user's. A user belongs to one partner (ruling A5). */
export const mailPreference = defineDecider<DeclineBatchMailsOnce, MailPreferenceState, MailPreferenceEvent>({
  category: 'mailPreference',
  initialState: { declined_at: null },
  decide: ({ user }, state, now) =>
    state.declined_at === null ? [{ type: 'batch-mails-declined.v1', data: { ...user, declined_at: now } }] : [],
  evolve: (_, { data: { declined_at } }) => ({ declined_at }),
});
