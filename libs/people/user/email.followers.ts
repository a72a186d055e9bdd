import { begin, defineFollowers, direct, nothing } from '#kernel';
import { email } from './email.decider.js';
import { user } from './user.decider.js';

/** A user who takes an address is registered with it, or changes to it. */
export const emailFollowers = defineFollowers(email, {
  'email-taken.v1': ({ data }) => [begin(user, data.user_id, { type: 'register', user: data })],
  'email-exchanged.v1': ({ data: { user_id, address, taking, email: sealed } }) => [
    direct(user, user_id, { type: 'move-email', user_id, address, taking, email: sealed }),
  ],
  'email-freed.v1': nothing,
});
