import { describe, expect, it } from '@jest/globals';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { asOfNow, type AddressNow } from './confirmed-address.js';
import { subscription, type SubscriptionCommand } from './subscription.decider.js';
import type { SubscriptionEvent, SubscriptionStatus } from './subscription.events.js';
import { presentSubscription } from './subscription.present.js';
import { isOpen, subscriptionsView } from './subscription.view.js';

const names = { subscription_id: 's1', user_id: 'u1', region_id: 'boston' };
const wanted = { ...names, partner_id: 'acme', details: 'sealed' };
const isCreated: SubscriptionEvent = { type: 'subscription-created.v1', data: { ...wanted, created_at: 7 } };
const isSet = (status: SubscriptionStatus): SubscriptionEvent => ({
  type: 'subscription-status-set.v1',
  data: { ...names, status },
});
const isAsked: SubscriptionEvent = { type: 'subscription-confirmation-asked.v1', data: names };
const isConfirmedFor = (address: string): SubscriptionEvent => ({
  type: 'subscription-confirmed.v1',
  data: { ...names, address },
});
const isConfirmed = isConfirmedFor('home');
/** The user has the address that they began with, or another one. */
const HOME = { address: 'home' };
const AWAY = { address: 'away' };
const subscribeAt = (now: AddressNow): SubscriptionCommand => ({ type: 'subscribe', subscription: wanted, now });
const subscribe = subscribeAt(HOME);
const confirm = (address = 'home'): SubscriptionCommand => ({ type: 'confirm', address });
const askAgain = (now: AddressNow): SubscriptionCommand => ({ type: 'ask-again', now });
const set = (status: SubscriptionStatus): SubscriptionCommand => ({ type: 'set-status', status });
const row = { ...wanted, created_at: 7, status: 'active', confirmed: false, confirmed_address: null } as const;

type Line = readonly [
  words: string,
  before: readonly SubscriptionEvent[],
  command: SubscriptionCommand,
  after: readonly SubscriptionEvent[] | 'not_found',
];

describe('4.12, 3.6, E5: a subscription', () => {
  it.each<Line>([
    ['is created', [], subscribe, [{ type: 'subscription-created.v1', data: { ...wanted, created_at: 77 } }]],
    ['is created only once, and asks again for its confirmation', [isCreated], subscribe, [isAsked]],
    ['asks for it as often as it is subscribed to', [isCreated, isAsked], subscribe, [isAsked]],
    ['asks for nothing once it is confirmed', [isCreated, isConfirmed], subscribe, []],
    ['is set active when it is subscribed to again', [isCreated, isSet('inactive')], subscribe, [isSet('active')]],
    ['is set inactive', [isCreated], set('inactive'), [isSet('inactive')]],
    ['is set active again', [isCreated, isSet('inactive')], set('active'), [isSet('active')]],
    ['is confirmed', [isCreated], confirm(), [isConfirmed]],
    ['is confirmed only once', [isCreated, isConfirmed], confirm(), []],
    ['is confirmed while it is inactive', [isCreated, isSet('inactive')], confirm(), [isConfirmed]],
    ['is confirmed again for another address', [isCreated, isConfirmed], confirm('away'), [isConfirmedFor('away')]],
    ['asks for its confirmation if it was for another address', [isCreated, isConfirmed], subscribeAt(AWAY), [isAsked]],
    ['asks for it without its user', [isCreated, isConfirmed], askAgain(AWAY), [isAsked]],
    ['asks for it once', [isCreated, isConfirmed, isAsked], askAgain(AWAY), []],
    ['asks for nothing at the address that was confirmed', [isCreated, isConfirmed], askAgain(HOME), []],
    ['asks for nothing while it is inactive', [isCreated, isConfirmed, isSet('inactive')], askAgain(AWAY), []],
    ['asks for nothing without a confirmation', [isCreated], askAgain(AWAY), []],
    ['cannot be set before it is created', [], set('inactive'), 'not_found'],
    ['cannot be confirmed before it is created', [], confirm(), 'not_found'],
  ])('%s', (_, before, command, after) => {
    given(subscription, before).when(command, 77).then(after);
  });

  it('E5: is confirmed for one address only', () => {
    const confirmedFor = (confirmed_address: string, now: AddressNow): boolean =>
      asOfNow({ ...row, confirmed: true, confirmed_address }, now).confirmed;
    expect([confirmedFor('home', HOME), confirmedFor('home', AWAY), confirmedFor('away', AWAY)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(asOfNow(row, HOME)).toEqual(row);
  });

  it('records nothing if the status is the same', () => {
    given(subscription, [isCreated]).when(set('active')).then([]);
    given(subscription, [isCreated, isSet('inactive')])
      .when(set('inactive'))
      .then([]);
  });

  it('H3: is active again if the user subscribes again, and stays confirmed', () => {
    const again = given(subscription, [isCreated, isConfirmed, isSet('inactive')]).when(subscribe, 77);
    again.then([isSet('active')]);
    expect(again.state).toEqual({ ...row, confirmed: true, confirmed_address: 'home' });
  });

  it('has a row that follows its events', async () => {
    const stream = 'subscription-s1';
    const of = (...events: readonly SubscriptionEvent[]): Promise<unknown> =>
      rowsOf(
        subscriptionsView,
        events.map((event) => ({ ...event, stream })),
      );
    expect(await of(isCreated)).toEqual({ s1: row });
    expect(await of(isCreated, isAsked)).toEqual({ s1: row });
    expect(await of(isCreated, isConfirmed, isAsked)).toEqual({ s1: row });
    expect(await of(isCreated, isConfirmed)).toEqual({ s1: { ...row, confirmed: true, confirmed_address: 'home' } });
    const ended = { s1: { ...row, confirmed: true, confirmed_address: 'home', status: 'inactive' } };
    expect(await of(isCreated, isConfirmed, isSet('inactive'))).toEqual(ended);
  });

  it('F5: gets mails only if it is active and confirmed', () => {
    const open = (['active', 'inactive'] as const).map((status) =>
      [true, false].map((confirmed) => isOpen({ status, confirmed })),
    );
    expect(open).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it('2.11, A9, B1, B8: shows its fields in this order', () => {
    const shown = presentSubscription(row, 'Boston', { zip: '02114', source: 'footer' });
    expect(JSON.stringify(shown)).toBe(
      '{"id":"s1","user_id":"u1","status":"active","confirmed":false,"region_id":"boston","region_name":"Boston","zip":"02114","created_at":"Thu Jan 01 00:00:00 UTC 1970","source":"footer"}',
    );
    expect(presentSubscription(row, 'Boston', { zip: '02114', source: null }).source).toBeNull();
    expect(presentSubscription(row, 'Boston', null)).toMatchObject({ zip: null, source: null });
  });
});
