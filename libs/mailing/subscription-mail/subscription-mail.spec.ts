import { describe, expect, it } from '@jest/globals';
import { DAY, MINUTE } from '#kernel';
import { given, rowsOf, type TableEvent } from '../../../test/support/given-when-then.js';
import type { SubscriptionEvent, SubscriptionStatus } from '../../engagement/subscription/subscription.events.js';
import { TAKEOVER } from '../tries.rules.js';
import { subscriptionMail, type SubscriptionMailCommand } from './subscription-mail.decider.js';
import type { SubscriptionMailEvent, SubscriptionMailKind } from './subscription-mail.events.js';
import { subscriptionMails } from './subscription-mails.work.js';

const of = (turn = 0, kind: SubscriptionMailKind = 'confirmation') => ({ subscription_id: 's1', kind, turn }) as const;
const attempted = (attempt: number, at: number, turn = 0, kind?: SubscriptionMailKind): SubscriptionMailEvent => ({
  type: 'subscription-mail-attempted.v1',
  data: { ...of(turn, kind), attempt, attempted_at: at },
});
const sent = (attempt: number, turn = 0, kind?: SubscriptionMailKind): SubscriptionMailEvent => ({
  type: 'subscription-mail-sent.v1',
  data: { ...of(turn, kind), attempt },
});
const delayed = (
  attempt: number,
  until: number,
  turn = 0,
  reason = 'later',
  kind?: SubscriptionMailKind,
  may_have_arrived = false,
): SubscriptionMailEvent => ({
  type: 'subscription-mail-delayed.v1',
  data: { ...of(turn, kind), attempt, reason, until, may_have_arrived },
});
const SOON = 'the last confirmation was mailed less than a day ago';
const WAITS = 'the server wants the last confirmation later';
const failed = (
  attempt: number,
  kind?: SubscriptionMailKind,
  reason = 'later',
  may_have_arrived = false,
): SubscriptionMailEvent => ({
  type: 'subscription-mail-failed.v1',
  data: { ...of(0, kind), attempt, reason, may_have_arrived },
});
/** Delayed at once, because nobody knows whether a server has it. */
const lost = (attempt: number, until: number): SubscriptionMailEvent =>
  delayed(attempt, until, 0, 'later', 'confirmation', true);
const skipped = (turn = 0): SubscriptionMailEvent => ({
  type: 'subscription-mail-skipped.v1',
  data: { ...of(turn), reason: 'ended' },
});
const attempt = (turn = 0, kind?: SubscriptionMailKind): SubscriptionMailCommand => ({
  type: 'attempt',
  ...of(turn, kind),
});
const note = (kind: 'sent' | 'refused' | 'delayed' | 'unknown', tries = 1): SubscriptionMailCommand => ({
  type: 'note',
  ...of(),
  attempt: tries,
  outcome: kind === 'sent' ? { kind } : { kind, reason: 'later' },
});

type Line = readonly [
  words: string,
  before: readonly SubscriptionMailEvent[],
  command: SubscriptionMailCommand,
  after: readonly SubscriptionMailEvent[],
];

describe('E5, F5: a mail of a subscription', () => {
  it.each<Line>([
    ['is taken by a sender', [], attempt(), [attempted(1, 1_000)]],
    ['is another sender’s', [attempted(1, 900)], attempt(), []],
    [
      'is taken again once its sender is taken for dead',
      [attempted(1, 1_000 - TAKEOVER)],
      attempt(),
      [attempted(2, 1_000)],
    ],
    ['waits after a delay', [attempted(1, 0), delayed(1, 1_001)], attempt(), []],
    ['is tried again after a delay', [attempted(1, 0), delayed(1, 1_000)], attempt(), [attempted(2, 1_000)]],
    ['is sent once', [attempted(1, 0), sent(1)], attempt(), []],
    ['is not tried after a failure', [attempted(1, 0), failed(1)], attempt(), []],
    ['is not tried after a skip', [skipped()], attempt(), []],
    ['of the next turn is taken', [attempted(1, 0), failed(1)], attempt(1), [attempted(1, 1_000, 1)]],
    [
      'of the next turn waits for a day after the last one was sent',
      [attempted(1, 0), sent(1)],
      attempt(1),
      [delayed(0, DAY, 1, SOON)],
    ],
    [
      'waits no longer if the subscription begins again and again',
      [attempted(1, 0), sent(1), delayed(0, DAY, 1, SOON)],
      attempt(2),
      [delayed(0, DAY, 2, SOON)],
    ],
    [
      'of the next turn is taken after a day',
      [attempted(1, 1_000 - DAY), sent(1), delayed(0, 1_000, 1, SOON)],
      attempt(1),
      [attempted(1, 1_000, 1)],
    ],
    ['of the next turn begins after the outcome of one that is under way', [attempted(1, 900)], attempt(1), []],
    [
      'is not left out while a sender has an earlier one',
      [attempted(1, 900)],
      { type: 'skip', ...of(1), reason: 'ended' },
      [],
    ],
    [
      'of the next turn goes on with the tries of one whose sender died',
      [attempted(2, 1_000 - TAKEOVER)],
      attempt(1),
      [attempted(3, 1_000, 1)],
    ],
    [
      'of the next turn waits for the next try of the one before',
      [attempted(2, 0), delayed(2, 1_001)],
      attempt(1),
      [delayed(2, 1_001, 1, WAITS)],
    ],
    [
      'of the next turn is then its next try',
      [attempted(2, 0), delayed(2, 1_000), delayed(2, 1_000, 1, WAITS)],
      attempt(1),
      [attempted(3, 1_000, 1)],
    ],
    [
      'of the next day is taken although a sender has the last one, which then has an outcome',
      [attempted(4, 900, 0, 'daily-update')],
      attempt(1, 'daily-update'),
      [failed(4, 'daily-update', 'its day is over; it may have arrived', true), attempted(1, 1_000, 1, 'daily-update')],
    ],
    [
      'of the next day ends the last one, which waits for its next try',
      [attempted(4, 900, 0, 'daily-update'), delayed(4, 9_000, 0, 'later', 'daily-update')],
      attempt(1, 'daily-update'),
      [failed(4, 'daily-update', 'its day is over'), attempted(1, 1_000, 1, 'daily-update')],
    ],
    [
      'of the next day ends the last one also if it is left out itself',
      [attempted(4, 900, 0, 'daily-update'), delayed(4, 9_000, 0, 'later', 'daily-update')],
      { type: 'skip', ...of(1, 'daily-update'), reason: 'no-deals' },
      [
        failed(4, 'daily-update', 'its day is over'),
        { type: 'subscription-mail-skipped.v1', data: { ...of(1, 'daily-update'), reason: 'no-deals' } },
      ],
    ],
    [
      'of the next day is taken although another was sent',
      [attempted(1, 0, 0, 'daily-update'), sent(1, 0, 'daily-update')],
      attempt(1, 'daily-update'),
      [attempted(1, 1_000, 1, 'daily-update')],
    ],
    ['of an earlier turn is not', [attempted(1, 0, 7), sent(1, 7)], attempt(6), []],
    [
      'of another kind is another mail',
      [attempted(1, 900)],
      attempt(0, 'daily-update'),
      [attempted(1, 1_000, 0, 'daily-update')],
    ],
    ['was sent', [attempted(1, 900)], note('sent'), [sent(1)]],
    ['failed for good', [attempted(1, 900)], note('refused'), [failed(1)]],
    ['is delayed', [attempted(1, 900)], note('delayed'), [delayed(1, 1_000 + MINUTE)]],
    [
      'is sent again if nobody knows, because the user needs its link',
      [attempted(1, 900)],
      note('unknown'),
      [lost(1, 1_000 + MINUTE)],
    ],
    ['waits longer after each try', [attempted(5, 900)], note('delayed', 5), [delayed(5, 1_000 + 240 * MINUTE)]],
    ['fails after six tries', [attempted(6, 900)], note('delayed', 6), [failed(6)]],
    [
      'fails after six tries of which nobody knows more',
      [attempted(6, 900)],
      note('unknown', 6),
      [failed(6, 'confirmation', 'later', true)],
    ],
    [
      'that may have arrived counts as mailed',
      [attempted(6, 900), failed(6, 'confirmation', 'later', true)],
      attempt(1),
      [delayed(0, 900 + DAY, 1, SOON)],
    ],
    [
      'that may have arrived at one of its tries counts as mailed',
      [attempted(1, 100), lost(1, 200), attempted(2, 200), delayed(2, 900), attempted(3, 900), failed(3)],
      attempt(1),
      [delayed(0, 100 + DAY, 1, SOON)],
    ],
    [
      'whose sender died counts as mailed',
      [attempted(1, -TAKEOVER), attempted(2, 0), failed(2)],
      attempt(1),
      [delayed(0, DAY - TAKEOVER, 1, SOON)],
    ],
    [
      'that may have arrived counts as mailed if its next try is left out',
      [attempted(1, 100), lost(1, 200), skipped()],
      attempt(1),
      [delayed(0, 100 + DAY, 1, SOON)],
    ],
    [
      'that no server took does not count as mailed',
      [attempted(1, 100), delayed(1, 200), attempted(2, 200), failed(2)],
      attempt(1),
      [attempted(1, 1_000, 1)],
    ],
    ['has the outcome of its last sender only', [attempted(2, 900)], note('sent', 1), []],
    ['has one outcome', [attempted(1, 900), sent(1)], note('delayed'), []],
    ['is left out', [], { type: 'skip', ...of(), reason: 'ended' }, [skipped()]],
    ['is left out once', [skipped()], { type: 'skip', ...of(), reason: 'ended' }, []],
    ['is not left out while a sender has it', [attempted(1, 900)], { type: 'skip', ...of(), reason: 'ended' }, []],
  ])('%s', (_, before, command, after) => {
    given(subscriptionMail, before).when(command, 1_000).then(after);
  });

  it('F5: a daily update that may have arrived is not sent again', () => {
    const command = { ...note('unknown'), kind: 'daily-update' } as const;
    given(subscriptionMail, [attempted(1, 900, 0, 'daily-update')])
      .when(command, 1_000)
      .then([failed(1, 'daily-update', 'later', true)]);
  });

  describe('is work until it has an outcome', () => {
    const names = { subscription_id: 's1', user_id: 'u1', region_id: 'boston' };
    const created: SubscriptionEvent = {
      type: 'subscription-created.v1',
      data: { ...names, partner_id: 'acme', details: '', created_at: 7 },
    };
    const set = (status: SubscriptionStatus): SubscriptionEvent => ({
      type: 'subscription-status-set.v1',
      data: { ...names, status },
    });
    const askedAgain: SubscriptionEvent = { type: 'subscription-confirmation-asked.v1', data: names };
    const rows = (...events: readonly (SubscriptionEvent | SubscriptionMailEvent)[]): Promise<unknown> =>
      rowsOf(
        subscriptionMails.view,
        events.map((event): TableEvent => ({
          ...event,
          stream: event.type.startsWith('subscription-mail-') ? 'subscriptionMail-s1' : 'subscription-s1',
          time: 8,
        })),
      );
    const row = (due_at: number, turn = 0, kind?: SubscriptionMailKind): object => ({
      [`s1-${kind ?? 'confirmation'}`]: { ...of(turn, kind), due_at },
    });

    it.each<readonly [string, readonly (SubscriptionEvent | SubscriptionMailEvent)[], object]>([
      ['from the beginning', [created], row(7)],
      [
        'until the user confirmed otherwise',
        [created, { type: 'subscription-confirmed.v1', data: { ...names, address: 'home' } }],
        {},
      ],
      ['until the subscription ended', [created, set('inactive')], {}],
      ['again when it begins again', [created, sent(1), set('inactive'), set('active')], row(8, 2)],
      ['again when it is asked for again', [created, failed(1), askedAgain], row(8, 1)],
      [
        'once, if it is asked for again before it has an outcome',
        [created, attempted(1, 9), askedAgain],
        row(9 + TAKEOVER),
      ],
      ['while a sender has it', [created, attempted(1, 9)], row(9 + TAKEOVER)],
      ['after a delay', [created, attempted(1, 9), delayed(1, 99)], row(99)],
      ['no more when it was sent', [created, attempted(1, 9), sent(1)], {}],
      ['no more when it failed', [created, attempted(1, 9), failed(1)], {}],
      ['no more when it was left out', [created, skipped()], {}],
      ['also if an earlier one gets its outcome later', [created, set('inactive'), set('active'), sent(1)], row(8, 2)],
      ['as a daily update too', [attempted(1, 9, 20, 'daily-update')], row(9 + TAKEOVER, 20, 'daily-update')],
    ])('%s', async (_, events, expected) => {
      expect(await rows(...events)).toEqual(expected);
    });
  });
});
