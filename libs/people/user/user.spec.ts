import { verify } from '@node-rs/argon2';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { direct } from '#kernel';
import { follow, given, rowsOf, stateOf } from '../../../test/support/given-when-then.js';
import { emailFollowers, userFollowers } from '../followers.js';
import { email } from './email.decider.js';
import type { EmailEvent, EmailExchanged } from './email.events.js';
import { emailRelease } from './email-release.work.js';
import { hashPassword } from './passwords.js';
import { changedProfile, newProfile, type Profile } from './profile.js';
import { user, type ChangeUser } from './user.decider.js';
import type { UserEvent, UserRegistered } from './user.events.js';
import { presentUser } from './user.present.js';
import { usersView } from './user.view.js';

const ann = { user_id: 'u1', partner_id: 'acme', profile: 'sealed', password: 'hash', address: 'A' };
const registered: UserRegistered = { ...ann, taking: 1, created_at: 77 };
const taken: EmailEvent = { type: 'email-taken.v1', data: registered };
const exchange = { user_id: 'u1', change_id: 'x1', from: 'A', address: 'B', email: 'sealed B' };
const exchanged = (more: Partial<EmailExchanged> = {}): EmailEvent => ({
  type: 'email-exchanged.v1',
  data: { ...exchange, taking: 1, ...more },
});
const freed = (taking: number): EmailEvent => ({ type: 'email-freed.v1', data: { user_id: 'u1', taking } });

const isRegistered: UserEvent = { type: 'user-registered.v1', data: registered };
const moved = (address: string, taking: number, previous: string | null): UserEvent => ({
  type: 'user-email-changed.v1',
  data: { user_id: 'u1', address, taking, previous, email: `sealed ${address}` },
});
const changed = (deleted = false): UserEvent => ({
  type: 'user-changed.v1',
  data: { user_id: 'u1', profile: 'sealed anew', password: null, deleted },
});
const released = (...addresses: { address: string; taking: number }[]): UserEvent => ({
  type: 'user-emails-released.v1',
  data: { user_id: 'u1', addresses },
});

describe('G12.1: a user who is erased', () => {
  const gone = (...addresses: { address: string; taking: number }[]): UserEvent => ({
    type: 'user-erased.v1',
    data: { user_id: 'u1', reason: 'asked', erased_at: 99, addresses },
  });
  const erase = { type: 'erase', reason: 'asked' } as const;

  it('gives back all addresses that they hold, once', () => {
    given(user).when(erase, 99).then('not_found');
    given(user, [isRegistered])
      .when(erase, 99)
      .then([gone({ address: 'A', taking: 1 })]);
    given(user, [isRegistered, moved('B', 4, 'A')])
      .when(erase, 99)
      .then([gone({ address: 'B', taking: 4 }, { address: 'A', taking: 1 })]);
    given(user, [isRegistered, gone({ address: 'A', taking: 1 })])
      .when({ ...erase, reason: 'again' }, 100)
      .then([]);
    expect(follow(userFollowers, [{ ...gone({ address: 'A', taking: 1 }), stream: 'user-u1' }])).toEqual(
      follow(userFollowers, [{ ...released({ address: 'A', taking: 1 }), stream: 'user-u1' }]),
    );
  });

  it('is like an unknown one, to whom nothing happens any more', async () => {
    const history = [isRegistered, gone({ address: 'A', taking: 1 })];
    const state = stateOf(user, history);
    expect(state).toMatchObject({ profile: '', new_email: null, address: '', deleted: true, token_generation: 1 });
    expect(state?.erased).toEqual({ at: 99, reason: 'asked' });
    const change = { type: 'change', based_on: 2, profile: 'x', password: null, deleted: false } as const;
    given(user, history).when(change).then('not_found');
    given(user, history).when({ type: 'release' }).then([]);
    expect(
      await rowsOf(
        usersView,
        history.map((event) => ({ ...event, stream: 'user-u1' })),
      ),
    ).toEqual({});
  });

  it('frees an address that another process took for them meanwhile', () => {
    const history = [isRegistered, gone({ address: 'A', taking: 1 })];
    const move = { type: 'move-email', user_id: 'u1', address: 'B', taking: 3, email: 'sealed B' } as const;
    const free = released({ address: 'B', taking: 3 });
    given(user, history).when(move).then([free]);
    given(user, [...history, free])
      .when(move)
      .then([]);
  });
});

describe('I10: the access tokens of a user', () => {
  const withPassword: UserEvent = {
    type: 'user-changed.v1',
    data: { user_id: 'u1', profile: 'sealed anew', password: 'sealed', deleted: false },
  };
  it.each<readonly [string, number, readonly UserEvent[]]>([
    ['go on through other changes', 0, [changed(), moved('b', 1, 'a'), changed()]],
    ['end with a new password', 1, [withPassword]],
    ['end with each new password', 2, [withPassword, withPassword]],
    ['end when the user is hidden, and stay so when they are restored', 1, [changed(true), changed(true), changed()]],
    ['end each time that the user is hidden', 2, [changed(true), changed(), changed(true)]],
  ])('%s', (_, generation, events) => {
    expect(stateOf(user, [isRegistered, ...events])?.token_generation).toBe(generation);
  });
});

describe('E1: an e-mail address within a partner', () => {
  it('can be taken by one user, once', () => {
    given(email).when({ type: 'take', user: ann }, 77).then([taken]);
    given(email, [taken]).when({ type: 'take', user: ann }, 99).then([]);
    given(email, [taken])
      .when({ type: 'take', user: { ...ann, user_id: 'u2' } }, 99)
      .then('email_taken');
  });

  it('can be asked for without an event', () => {
    given(email).when({ type: 'ask', user_id: 'u2' }).then([]);
    given(email, [taken]).when({ type: 'ask', user_id: 'u1' }).then([]);
    given(email, [taken]).when({ type: 'ask', user_id: 'u2' }).then('email_taken');
    given(email, [taken, freed(1)])
      .when({ type: 'ask', user_id: 'u2' })
      .then([]);
  });

  it('A11: is exchanged once by one request, again by its user’s next request, and by nobody else', () => {
    const ask = { type: 'exchange', ...exchange } as const;
    given(email).when(ask).then([exchanged()]);
    given(email, [exchanged()]).when(ask).then([]);
    given(email, [exchanged()])
      .when({ ...ask, change_id: 'x2' })
      .then([exchanged({ change_id: 'x2', taking: 2 })]);
    given(email, [exchanged()])
      .when({ ...ask, change_id: 'x2', user_id: 'u2' })
      .then('email_taken');
    given(email, [exchanged(), freed(1)])
      .when({ ...ask, change_id: 'x2', user_id: 'u2' })
      .then([exchanged({ change_id: 'x2', user_id: 'u2', taking: 2 })]);
  });

  it('is freed once for each taking; a late end of an old taking does not take it from a user who came back', () => {
    const free = { type: 'free', user_id: 'u1', taking: 1 } as const;
    given(email, [taken])
      .when(free)
      .then([freed(1)]);
    given(email, [taken, freed(1)])
      .when(free)
      .then([]);
    const back = [taken, exchanged({ address: 'A', taking: 2 })];
    const late = given(email, back).when(free);
    late.then([freed(1)]);
    expect(late.state.user_id).toBe('u1');
    expect(stateOf(email, [...back, freed(2)]).user_id).toBeNull();
  });

  it('4.9: a user who takes it is registered, at the time of the taking; a user who exchanges changes to it', () => {
    const history = [
      { ...taken, stream: 'email-A', time: 77 },
      { ...exchanged(), stream: 'email-B', time: 88 },
    ];
    expect(follow(emailFollowers, history)).toEqual({ 'user-u1': [isRegistered, moved('B', 1, 'A')] });
  });
});

describe('E1: a user', () => {
  it('is registered only once', () => {
    given(user).when({ type: 'register', user: registered }).then([isRegistered]);
    given(user, [isRegistered])
      .when({ type: 'register', user: { ...registered, profile: 'other' } })
      .then([]);
  });

  it('is changed as they were read, and not if another change came in between', () => {
    const change: ChangeUser = { type: 'change', based_on: 1, profile: 'sealed anew', password: null, deleted: false };
    given(user, [isRegistered]).when(change).then([changed()]);
    given(user, [isRegistered, changed()]).when(change).then('user_moved');
    given(user, [isRegistered, moved('B', 1, 'A')])
      .when(change)
      .then('user_moved');
    given(user).when(change).then('not_found');
  });

  const move = { type: 'move-email', user_id: 'u1', address: 'B', taking: 1, email: 'sealed B' } as const;

  it('changes to an address once, and releases the old one with their next change or on a command', () => {
    const moving = [isRegistered, moved('B', 1, 'A')];
    given(user, [isRegistered])
      .when(move)
      .then([moved('B', 1, 'A')]);
    given(user, moving).when(move).then([]);
    const change: ChangeUser = { type: 'change', based_on: 2, profile: 'sealed anew', password: null, deleted: false };
    given(user, moving)
      .when(change)
      .then([changed(), released({ address: 'A', taking: 1 })]);
    given(user, moving)
      .when({ type: 'release' })
      .then([released({ address: 'A', taking: 1 })]);
    given(user, [...moving, released({ address: 'A', taking: 1 })])
      .when({ type: 'release' })
      .then([]);
  });

  it('changes address again and back, and releases the addresses that they no longer have', () => {
    const on = [isRegistered, moved('B', 1, 'A'), moved('C', 1, 'B')];
    given(user, on)
      .when({ type: 'release' })
      .then([released({ address: 'A', taking: 1 }, { address: 'B', taking: 1 })]);
    given(user, on)
      .when({ ...move, address: 'A', taking: 2, email: 'sealed A' })
      .then([moved('A', 2, 'C')]);
    given(user, [...on, moved('A', 2, 'C')])
      .when({ type: 'release' })
      .then([released({ address: 'B', taking: 1 }, { address: 'C', taking: 1 })]);
    // A late follower changes nothing.
    given(user, [...on, moved('A', 2, 'C')])
      .when(move)
      .then([]);
  });

  it('leaves no address where two requests change to the same one', () => {
    const twice = [isRegistered, moved('B', 1, 'A'), moved('B', 2, null)];
    given(user, twice.slice(0, 2))
      .when({ ...move, taking: 2 })
      .then([moved('B', 2, null)]);
    given(user, twice)
      .when({ type: 'release' })
      .then([released({ address: 'A', taking: 1 })]);
  });

  it('frees the addresses that they release', () => {
    const history = [
      { ...released({ address: 'A', taking: 1 }, { address: 'B', taking: 3 }), stream: 'user-u1', time: 99 },
    ];
    expect(follow(userFollowers, history)).toEqual({ 'email-A': [freed(1)], 'email-B': [freed(3)] });
  });

  it('is on the work list while addresses that they left wait for their release', async () => {
    const history = [isRegistered, moved('B', 1, 'A'), moved('C', 1, 'B')].map((event, n) => ({
      ...event,
      stream: 'user-u1',
      time: 100 * n,
    }));
    expect(await rowsOf(emailRelease.view, history)).toEqual({ u1: { due_at: 60_100 } });
    const last = { ...released({ address: 'A', taking: 1 }), stream: 'user-u1' };
    expect(await rowsOf(emailRelease.view, [...history, last])).toEqual({});
    const same = { ...moved('A', 2, null), stream: 'user-u1' };
    expect(await rowsOf(emailRelease.view, [same])).toEqual({});
    expect(emailRelease.command('u1', { due_at: 60_100 })).toEqual([direct(user, 'u1', { type: 'release' })]);
  });

  it('stays sealed in their row, which has no password', async () => {
    const historyOf = (...events: UserEvent[]) => events.map((event) => ({ ...event, stream: 'user-u1' }));
    const row = {
      user_id: 'u1',
      partner_id: 'acme',
      profile: 'sealed',
      new_email: null,
      address: 'A',
      deleted: false,
      created_at: 77,
    };
    expect(await rowsOf(usersView, historyOf(isRegistered))).toEqual({ u1: row });
    expect(await rowsOf(usersView, historyOf(isRegistered, moved('B', 1, 'A')))).toEqual({
      u1: { ...row, new_email: 'sealed B', address: 'B' },
    });
    expect(await rowsOf(usersView, historyOf(isRegistered, moved('B', 1, 'A'), changed(true)))).toEqual({
      u1: { ...row, profile: 'sealed anew', address: 'B', deleted: true },
    });
  });
});

describe('a profile', () => {
  const profile: Profile = {
    email: 'ann@example.test',
    first_name: 'Ann',
    last_name: null,
    birthday: '1990-12-31',
    postal_code: '02139',
    source: 'web',
    token: 't-1',
    credits: 500,
    partner_data: {},
    session_id: null,
  };

  it('4.9.10, 4.9.11, 4.9: begins with null for absent parts, and with the signup credit', () => {
    const { email: address, ...nothing } = newProfile({ email: 'ann@example.test' }, 250);
    expect(address).toBe('ann@example.test');
    expect(nothing).toEqual({
      first_name: null,
      last_name: null,
      birthday: null,
      postal_code: null,
      source: null,
      token: null,
      credits: 250,
      partner_data: {},
      session_id: null,
    });
    expect(newProfile(profile, 250)).toEqual(profile);
  });

  it('4.9: is changed in the given parts; partner_data is replaced as a whole', () => {
    const before = { ...profile, partner_data: { tier: 'gold', since: 2010 } };
    expect(changedProfile(before, { partner_data: { tier: 'silver' } })).toEqual({
      ...before,
      partner_data: { tier: 'silver' },
    });
    expect(changedProfile(before, { first_name: 'Anna' })).toEqual({ ...before, first_name: 'Anna' });
  });

  it('2.7 B8 A9: has its answer’s fields in the order of the interface; absent or erased ones are null', () => {
    expect(JSON.stringify(presentUser(registered, profile))).toBe(
      '{"id":"u1","firstname":"Ann","lastname":null,"image_url":null,"points":0,"token":"t-1"}',
    );
    expect(JSON.stringify(presentUser(registered, null))).toBe(
      '{"id":"u1","firstname":null,"lastname":null,"image_url":null,"points":0,"token":null}',
    );
  });
});

describe('E1: a password', () => {
  it('is hashed with argon2id and the parameters of the service, each time with a new salt', async () => {
    const parameters = { memory: 64, iterations: 3, parallelism: 2 };
    const made = (): Promise<string> => hashPassword('pässword', parameters, thisMachine.randomness);
    const [one, two] = await Promise.all([made(), made()]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=64,t=3,p=2\$/);
    expect(one).not.toBe(two);
    expect([await verify(one, 'pässword'), await verify(one, 'passwort')]).toEqual([true, false]);
  });
});
