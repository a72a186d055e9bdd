import { describe, expect, it } from '@jest/globals';
import { madeUpLog, type MadeUp } from './made-up-log.js';
import { checkReasonsOfMails } from './reasons-of-mails.js';

/** Each event is written a minute after the one before. */
const check =
  (...events: readonly MadeUp[]) =>
  (): void =>
    checkReasonsOfMails(
      madeUpLog(...events),
      events.map((_, index) => index * 60_000),
    );

const created: MadeUp = [
  'subscription-s',
  'subscription-created.v1',
  { subscription_id: 's', user_id: 'ann', partner_id: 'acme', region_id: 'lisbon' },
];
const address = (name: string): MadeUp => ['user-ann', 'user-email-changed.v1', { user_id: 'ann', address: name }];
const confirmedFor = (name: string | null): MadeUp => [
  'subscription-s',
  'subscription-confirmed.v1',
  { subscription_id: 's', user_id: 'ann', address: name },
];
const confirmed = confirmedFor(null);
const askedAgain: MadeUp = ['subscription-s', 'subscription-confirmation-asked.v1', { subscription_id: 's' }];
const ended: MadeUp = ['subscription-s', 'subscription-status-set.v1', { subscription_id: 's', status: 'inactive' }];
const mail = (what: string, kind: string, more: object = {}): MadeUp => [
  'subscriptionMail-s',
  `subscription-mail-${what}.v1`,
  { subscription_id: 's', kind, turn: 0, attempt: 1, ...more },
];
const skipped = (reason: string): MadeUp => mail('skipped', 'daily-update', { reason });
const update = mail('attempted', 'daily-update');
const scheduled = (mode: string): MadeUp => [
  'schedule-acme-1970-01-01',
  'users-scheduled.v1',
  { batch_id: 'b', mode, user_ids: ['ann'], send_at: 2_000 },
];
const idle: MadeUp = ['clock-x', 'clock-moved.v1'];
const long = [idle, idle, idle, idle, idle, idle];

describe('the reasons of mails', () => {
  it.each<[string, ...MadeUp[]]>([
    ['an update for a confirmed subscription', created, confirmed, update],
    ['an update that ended a moment ago', created, confirmed, ended, update],
    ['an update for the address that was confirmed', address('a'), created, confirmedFor('a'), ...long, update],
    ['a confirmation of another address', created, confirmed, address('a'), ...long, mail('attempted', 'confirmation')],
    [
      'a confirmation that is asked for again',
      created,
      confirmed,
      askedAgain,
      ...long,
      mail('attempted', 'confirmation'),
    ],
    ['an update that a batch suppresses', created, confirmed, scheduled('suppress'), skipped('suppressed')],
    ['an update beside another batch', created, confirmed, scheduled('augment'), update],
    ['a confirmation', created, mail('attempted', 'confirmation')],
    ['an update that the server wants later', created, confirmed, update, mail('delayed', 'daily-update')],
    [
      'a confirmation after an earlier one',
      created,
      mail('attempted', 'confirmation'),
      mail('delayed', 'confirmation', { turn: 2, attempt: 0 }),
    ],
  ])('may be %s', (_, ...events) => {
    expect(check(...events)).not.toThrow();
  });

  const untrue = 'a mail is sent or left out for a true reason';
  it.each<[string, string, ...MadeUp[]]>([
    ['an update without a confirmation', untrue, created, update],
    ['an update at another address', untrue, created, confirmed, address('a'), ...long, update],
    ['an update long after its end', untrue, created, confirmed, ended, ...long, update],
    ['an update that a batch suppresses', untrue, created, confirmed, scheduled('suppress'), ...long, update],
    ['nothing suppresses it', untrue, created, confirmed, skipped('suppressed')],
    ['another batch suppresses nothing', untrue, created, confirmed, scheduled('augment'), skipped('suppressed')],
    ['it has not ended', untrue, created, confirmed, ...long, skipped('ended')],
    ['the user is not hidden', untrue, created, confirmed, skipped('hidden')],
    ['a confirmation of what is confirmed', untrue, created, confirmed, ...long, mail('attempted', 'confirmation')],
    [
      'an update waits for no server',
      'a mail waits for a reason',
      created,
      confirmed,
      mail('delayed', 'daily-update', { attempt: 0 }),
    ],
    ['a mail without a subscription', 'a mail has its subscription', update],
    [
      'a batch before its time',
      'a batch has its time',
      scheduled('augment'),
      ['batch-b', 'delivery-attempted.v1', { batch_id: 'b', user_id: 'ann' }],
    ],
    [
      'somebody of the region has no update',
      'everybody who wants it has the daily update',
      created,
      confirmed,
      [
        'subscription-t',
        'subscription-created.v1',
        { subscription_id: 't', user_id: 'bob', partner_id: 'acme', region_id: 'lisbon' },
      ],
      ['subscription-t', 'subscription-confirmed.v1', { subscription_id: 't', user_id: 'bob', address: null }],
      ...long,
      update,
      ['dailyUpdate-plan', 'daily-update-ended.v1', { day: 0 }],
    ],
  ])('are violated: %s', (_, invariant, ...events) => {
    expect(check(...events)).toThrow(invariant);
  });
});
