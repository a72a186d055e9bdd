import { describe, expect, it } from '@jest/globals';
import type { EventBody, Recorded, View, WorkList } from '#kernel';
import { mailing } from '#mailing/model';
import { purchasing } from '#purchasing/model';
import { retriedBy, workOrderId, workOrders } from './work-order.decider.js';

const [subscriptionMails, openCheckouts, askedRefunds] = ['subscription-mails', 'open-checkouts', 'asked-refunds'].map(
  (list) => [...mailing.workLists, ...purchasing.workLists].find(({ name }) => name === list),
) as [WorkList, WorkList, WorkList];
const piece = { list: 'subscription-mails', key: 's1-confirmation' };
const recorded = (event: EventBody): Recorded =>
  ({ ...event, id: 'e', stream: 's', revision: 0, position: 1n, metadata: { time: 1_000 } }) as Recorded;
const fold = (view: View, ...events: readonly EventBody[]): Readonly<Record<string, object>> => {
  const rows = new Map<string, object>();
  for (const event of events.map(recorded)) {
    for (const key of view.types.has(event.type) ? view.keys(event) : []) {
      const row = view.apply(rows.get(key), event, key);
      if (row === undefined) rows.delete(key);
      else rows.set(key, row);
    }
  }
  return Object.fromEntries(rows);
};

describe('G6.2: orders for open work', () => {
  const abandoned = { type: 'work-abandoned.v1', data: { ...piece, reason: 'the mailbox is gone' } };

  it.each([
    ['a retry', { type: 'retry', ...piece }, { type: 'work-retried.v1', data: piece }],
    ['an abandonment', { type: 'abandon', reason: 'the mailbox is gone', ...piece }, abandoned],
  ] as const)('%s is one event, which names the work', (_, command, event) => {
    expect(workOrders.decide(command, null, 0)).toEqual([event]);
    expect(workOrders.evolve(null, event as never)).toBe(command.type);
    expect(workOrderId(piece)).toBe('subscription-mails.s1-confirmation');
    expect(retriedBy(event)).toEqual(command.type === 'retry' ? piece : undefined);
  });

  const created = { type: 'subscription-created.v1', data: { subscription_id: 's1', created_at: 500 } };
  const tried = { subscription_id: 's1', kind: 'confirmation', turn: 0 };
  const attempted = { type: 'subscription-mail-attempted.v1', data: { ...tried, attempted_at: 600 } };
  const delayed = { type: 'subscription-mail-delayed.v1', data: { ...tried, until: 900 } };
  const askedAgain = { type: 'subscription-confirmation-asked.v1', data: { subscription_id: 's1' } };

  it.each<[what: string, events: readonly EventBody[], open: readonly string[]]>([
    ['open work stays', [created], ['s1-confirmation']],
    ['abandoned work goes', [created, abandoned], []],
    [
      'work of another list stays',
      [created, { ...abandoned, data: { ...abandoned.data, list: 'holds' } }],
      ['s1-confirmation'],
    ],
    ['a try that was under way does not open it again', [created, attempted, abandoned, delayed], []],
    ['something new under the same key is open', [created, abandoned, askedAgain], ['s1-confirmation']],
  ])('a list forgets what is abandoned: %s', (_, events, open) => {
    expect(Object.keys(fold(subscriptionMails.view, ...events))).toEqual(open);
    // In any order of builds: the rows follow from the log alone.
    expect(Object.keys(fold(subscriptionMails.view, ...events))).toEqual(open);
  });

  it('a list of what is never abandoned does not know the event', () => {
    expect(openCheckouts.view.types.has('work-abandoned.v1')).toBe(false);
    const row = { due_at: 1, voiding: false };
    expect(openCheckouts.shown.insteadOfAbandoning?.('p1', row)).toContain('holdfast purchases void p1');
    // A refund that an operator has asked for always completes.
    expect(askedRefunds.view.types.has('work-abandoned.v1')).toBe(false);
    expect(askedRefunds.shown.insteadOfAbandoning?.('p1', { due_at: 1 })).toContain('holdfast purchases refund p1');
  });
});
