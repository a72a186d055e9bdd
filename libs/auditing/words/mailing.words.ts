import { DAY, isoTime } from '#kernel';
import type { BatchEvent, DailyUpdateEvent, ScheduleEvent, SubscriptionMailEvent } from '#mailing/model';
import { defineWords } from './phrase.js';
import { counted, said } from './plain.js';

/** The words of a partner's days. */
export const scheduleWords = defineWords<ScheduleEvent>(
  'Days of targeted-email batches',
  'Stream `schedule-<partner>-<day>`: that a user is in one batch of a day at most, and at most 10000 users of a partner are in any, is decided here.',
  {
    'users-scheduled.v1': {
      what: 'Users have a place in the day. `scheduled` is how many of the partner have one now.',
      line: ({ user_ids, deal_id, send_at, scheduled }) =>
        `${counted(user_ids.length, 'user')} of a mail about ${said(deal_id)} at ${isoTime(send_at)}; the day has ${counted(scheduled, 'user')} now`,
    },
    'users-freed.v1': {
      what: 'The places of a batch are free again: it was cancelled.',
      line: ({ batch_id, scheduled }) =>
        `the places of batch ${batch_id} are free again; the day has ${counted(scheduled, 'user')} now`,
    },
  },
);

/** The words of batches. */
export const batchWords = defineWords<BatchEvent>('Targeted-email batches', 'Stream `batch-<id>`.', {
  'batch-created.v1': {
    what: 'A mail about a deal goes to these users at `send_at`.',
    line: ({ user_ids, deal_id, send_at, mode }) =>
      `a mail about ${said(deal_id)} goes to ${counted(user_ids.length, 'user')} at ${isoTime(send_at)} (${mode})`,
  },
  'batch-cancelled.v1': {
    what: 'It was cancelled before anything of it was sent.',
    line: ({ send_at }) => `the mails of ${isoTime(send_at)} were cancelled before anything was sent`,
  },
  'delivery-attempted.v1': {
    what: 'A sender takes a recipient, and then hands over their mail. No other sender takes them for three minutes.',
    line: ({ user_id, attempt }) => `try ${attempt} of the mail to user ${user_id} begins`,
  },
  'delivery-made.v1': {
    what: 'The mail server has taken the recipient’s mail.',
    line: ({ user_id, attempt }) => `the mail server took the mail to user ${user_id} at try ${attempt}`,
  },
  'delivery-delayed.v1': {
    what: 'The mail server took nothing. The mail is sent again after `until`.',
    line: ({ user_id, attempt, reason, until }) =>
      `the mail to user ${user_id} waits until ${isoTime(until)} after try ${attempt}: ${said(reason)}`,
  },
  'delivery-failed.v1': {
    what: 'The recipient gets no mail: the server refused it, delayed it six times, or broke off and may have taken it.',
    line: ({ user_id, attempt, reason }) => `user ${user_id} gets no mail after try ${attempt}: ${said(reason)}`,
  },
  'delivery-skipped.v1': {
    what: 'The recipient gets no mail on purpose: `unsubscribed`, `hidden`, `erased`, `deal-not-on-sale` or `suspended`.',
    line: ({ user_id, reason }) => `user ${user_id} gets no mail on purpose: ${reason}`,
  },
  'delivery-paused.v1': {
    what: 'Every recipient without an outcome waits until this time.',
    line: ({ until }) => `all mails without an outcome wait until ${isoTime(until)}`,
  },
  'batch-processed.v1': {
    what: 'Every recipient has an outcome, and none failed.',
    line: ({ sent, skipped }) => `every mail has an outcome: ${sent} sent, ${skipped} skipped, none failed`,
  },
  'batch-failed.v1': {
    what: 'Every recipient has an outcome, and some failed.',
    line: ({ sent, failed, skipped }) =>
      `every mail has an outcome: ${sent} sent, ${skipped} skipped, ${failed} failed`,
  },
});

/** The words of subscriptions' mails. */
export const subscriptionMailWords = defineWords<SubscriptionMailEvent>(
  'Mails of subscriptions',
  'Stream `subscriptionMail-<subscription id>`. `kind` is `confirmation` or `daily-update`. `turn` grows from mail to mail of a kind: it is the revision of the event that began the subscription, began it again, or asked for it again; of a daily update, its day, counted from 1970-01-01 in UTC.',
  {
    'subscription-mail-attempted.v1': {
      what: 'A sender hands the mail over. `attempt` counts its tries.',
      line: ({ attempt, ...mail }) => `try ${attempt} of ${nameOf(mail)} begins`,
    },
    'subscription-mail-sent.v1': {
      what: 'The mail server has taken it, or it is on disk.',
      line: ({ attempt, ...mail }) => `${nameOf(mail)} was sent at try ${attempt}`,
    },
    'subscription-mail-delayed.v1': {
      what: 'It is tried again at `until`. `may_have_arrived`: nobody knows whether a server has taken it.',
      line: ({ attempt, reason, until, may_have_arrived, ...mail }) =>
        `${nameOf(mail)} waits until ${isoTime(until)} after try ${attempt}: ${said(reason)}${arrived(may_have_arrived)}`,
    },
    'subscription-mail-failed.v1': {
      what: 'It is not tried any more.',
      line: ({ attempt, reason, may_have_arrived, ...mail }) =>
        `${nameOf(mail)} failed at try ${attempt}: ${said(reason)}${arrived(may_have_arrived)}`,
    },
    'subscription-mail-skipped.v1': {
      what: 'There is no mail, for a `reason` that is no failure: `ended`, `confirmed`, `hidden`, `erased`, `suppressed`, `no-deals`, `suspended`.',
      line: ({ reason, ...mail }) => `${nameOf(mail)} is not sent: ${reason}`,
    },
  },
);

const arrived = (mayHave: boolean): string => (mayHave ? '; it may have arrived' : '');

/** A mail of a subscription: its turn is the day of a daily update. */
function nameOf({ kind, turn }: { readonly kind: string; readonly turn: number }): string {
  return kind === 'daily-update' ? updateOf(turn) : 'the confirmation';
}

/** The daily update of a day that is counted from 1970-01-01. */
function updateOf(day: number): string {
  return `the daily update of ${isoTime(day * DAY).slice(0, 10)}`;
}

/** The words of daily updates. */
export const dailyUpdateWords = defineWords<DailyUpdateEvent>(
  'Daily updates',
  'Stream `dailyUpdate-plan`. Days are counted from 1970-01-01 in UTC.',
  {
    'daily-update-planned.v1': {
      what: 'The update of this day goes out at `due_at`; an earlier plan counts no more.',
      line: ({ day, due_at }) => `${updateOf(day)} goes out at ${isoTime(due_at)}`,
    },
    'daily-update-unplanned.v1': {
      what: 'No update is planned: `DAILY_UPDATE_AT` is not set.',
      line: ({ day }) => `${updateOf(day)} is not planned any more`,
    },
    'daily-update-ended.v1': {
      what: 'Every mail of the day was begun.',
      line: ({ day }) => `every mail of ${updateOf(day)} was begun`,
    },
  },
);
