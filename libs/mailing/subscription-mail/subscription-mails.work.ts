import { defineWorkList, type Instant, type Recorded, type WorkRow } from '#kernel';
import type { SubscriptionEvent } from '#engagement/model';
import { TAKEOVER } from '../tries.rules.js';
import type { OfMail, SubscriptionMailEvent } from './subscription-mail.events.js';

/** A mail without an outcome. */
export interface OpenMail extends OfMail, WorkRow {}

/**
 * Mails of subscriptions that are to be sent, or sent again (rulings E5, F5). A confirmation is open as soon as a subscription
 * begins, or begins again, or asks for it again while there is none. A daily update is begun by the work of its day; it is here
 * until it has an outcome.
 */
export const subscriptionMails = defineWorkList<OpenMail, SubscriptionEvent | SubscriptionMailEvent>({
  name: 'subscription-mails',
  version: 3,
  key: ({ data }) => `${data.subscription_id}-${'kind' in data ? data.kind : 'confirmation'}`,
  on: {
    'subscription-created.v1': (_, event) => asked(event, event.data.created_at),
    'subscription-status-set.v1': (_, event) =>
      event.data.status === 'active' ? asked(event, event.metadata.time) : undefined,
    'subscription-confirmation-asked.v1': (row, event) => row ?? asked(event, event.metadata.time),
    'subscription-confirmed.v1': () => undefined,
    'subscription-mail-attempted.v1': (row, { data }) => open(row, data, data.attempted_at + TAKEOVER),
    // Only a mail that is open is sent later: an operator may have abandoned it while it was tried.
    'subscription-mail-delayed.v1': (row, { data }) => row && open(row, data, data.until),
    'subscription-mail-sent.v1': ended,
    'subscription-mail-failed.v1': ended,
    'subscription-mail-skipped.v1': ended,
  },
  shown: {
    does: 'Sends a confirmation or a daily update of a subscription.',
    about: (_, { subscription_id }) => ({ subscription_id }),
  },
});

function asked({ data, revision }: Recorded<SubscriptionEvent>, due_at: Instant): OpenMail {
  return { subscription_id: data.subscription_id, kind: 'confirmation', turn: revision, due_at };
}

/** What becomes of a later mail of the same kind must not depend on an earlier one. */
function open(row: OpenMail | undefined, { subscription_id, kind, turn }: OfMail, due_at: Instant): OpenMail {
  return row !== undefined && row.turn > turn ? row : { subscription_id, kind, turn, due_at };
}

function ended(row: OpenMail | undefined, { data }: { readonly data: OfMail }): OpenMail | undefined {
  return row !== undefined && row.turn > data.turn ? row : undefined;
}
