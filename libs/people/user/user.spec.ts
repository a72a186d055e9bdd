import { describe, expect, it } from '@jest/globals';
import { follow, given, rowsOf } from '../../../test/support/given-when-then.js';
import { emailFollowers } from './email.followers.js';
import { email, user } from './user.decider.js';
import type { EmailEvent, UserRegistered } from './user.events.js';
import { presentUser } from './user.present.js';
import type { Profile } from './user.row.js';
import { usersView } from './user.view.js';

const ann = { user_id: 'u1', partner_id: 'acme', profile: 'sealed' };
const registered: UserRegistered = { ...ann, created_at: 77 };
const taken: EmailEvent = { type: 'email-taken.v1', data: registered };

describe('E1: an e-mail address within a partner', () => {
  it('is taken by one user, once', () => {
    given(email).when({ type: 'take', user: ann }, 77).then([taken]);
    given(email, [taken]).when({ type: 'take', user: ann }, 99).then([]);
    given(email, [taken])
      .when({ type: 'take', user: { ...ann, user_id: 'u2' } }, 99)
      .then('email_taken');
  });

  it('4.9: who takes it is registered, at the time of the taking', () => {
    expect(follow(emailFollowers, [{ ...taken, stream: 'email-h', time: 77 }])).toEqual({
      'user-u1': [{ type: 'user-registered.v1', data: registered }],
    });
  });
});

describe('a user', () => {
  it('is registered once', () => {
    given(user)
      .when({ type: 'register', user: registered })
      .then([{ type: 'user-registered.v1', data: registered }]);
    given(user, [{ type: 'user-registered.v1', data: registered }])
      .when({ type: 'register', user: { ...registered, profile: 'other' } })
      .then([]);
  });

  it('has a row that keeps sealed what is sealed', async () => {
    const told = [{ type: 'user-registered.v1', data: registered, stream: 'user-u1' }];
    expect(await rowsOf(usersView, told)).toEqual({ u1: registered });
  });

  it('2.7 B8 A9: is answered in the order of the interface; what is absent, or erased, is null', () => {
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
    expect(JSON.stringify(presentUser(registered, profile))).toBe(
      '{"id":"u1","firstname":"Ann","lastname":null,"image_url":null,"points":0,"token":"t-1"}',
    );
    expect(JSON.stringify(presentUser(registered, null))).toBe(
      '{"id":"u1","firstname":null,"lastname":null,"image_url":null,"points":0,"token":null}',
    );
  });
});
