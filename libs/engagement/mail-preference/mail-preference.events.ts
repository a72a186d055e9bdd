// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** A user wants no more batch mails of their partner (ruling H3). */
export interface BatchMailsDeclined {
  readonly user_id: string;
  readonly partner_id: string;
  readonly declined_at: Instant;
}

export type MailPreferenceEvent = EventOf<'batch-mails-declined.v1', BatchMailsDeclined>;

export const mailPreferenceEvents = defineEventTypes<MailPreferenceEvent>('mailPreference', {
  'batch-mails-declined.v1': true,
});
