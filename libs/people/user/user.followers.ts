import { defineFollowers, direct, nothing } from '#kernel';
import { email } from './email.decider.js';
import { user } from './user.decider.js';

/** Addresses that a user releases become free for others. */
export const userFollowers = defineFollowers(user, {
  'user-registered.v1': nothing,
  'user-email-changed.v1': nothing,
  'user-changed.v1': nothing,
  'user-emails-released.v1': ({ data: { user_id, addresses } }) =>
    addresses.map(({ address, taking }) => direct(email, address, { type: 'free', user_id, taking })),
});
