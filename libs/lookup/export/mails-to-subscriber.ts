import { isoTime, type Recorded } from '#kernel';
import type { SubscriptionMailEvent } from '#mailing/model';

/** What may become of a mail of a subscription. */
export const SUBSCRIPTION_MAIL_OUTCOMES = ['sent', 'delayed', 'failed', 'skipped'] as const;

/** What an event says has become of a mail; undefined for the beginning of a try. */
export function mailToSubscriber({ type, data, metadata }: Recorded<SubscriptionMailEvent>): object | undefined {
  const { subscription_id, kind } = data;
  const mail = { subscription_id, kind, at: isoTime(metadata.time) };
  switch (type) {
    case 'subscription-mail-attempted.v1':
      return undefined;
    case 'subscription-mail-sent.v1':
      return { ...mail, outcome: 'sent', reason: null };
    case 'subscription-mail-delayed.v1':
      return { ...mail, outcome: 'delayed', reason: data.reason };
    case 'subscription-mail-failed.v1':
      return { ...mail, outcome: 'failed', reason: data.reason };
    case 'subscription-mail-skipped.v1':
      return { ...mail, outcome: 'skipped', reason: data.reason };
  }
}
