import { begin, defineFollowers, direct, type Directive, nothing } from '#kernel';
import { email } from './user/email.decider.js';
import { user } from './user/user.decider.js';
import type { UserEmailsReleased } from './user/user.events.js';

/** A user who takes an address is registered with it, or changes to it. */
export const emailFollowers = defineFollowers(email, {
  'email-taken.v1': ({ data }) => [begin(user, data.user_id, { type: 'register', user: data })],
  'email-exchanged.v1': ({ data: { user_id, address, taking, email: sealed } }) => [
    direct(user, user_id, { type: 'move-email', user_id, address, taking, email: sealed }),
  ],
  'email-freed.v1': nothing,
});

/** Addresses that a user releases become free for others. */
export const userFollowers = defineFollowers(user, {
  'user-registered.v1': nothing,
  'user-email-changed.v1': nothing,
  'user-changed.v1': nothing,
  'user-emails-released.v1': ({ data }) => freed(data),
  'user-erased.v1': ({ data }) => freed(data),
});

function freed({ user_id, addresses }: UserEmailsReleased): readonly Directive[] {
  return addresses.map(({ address, taking }) => direct(email, address, { type: 'free', user_id, taking }));
}
