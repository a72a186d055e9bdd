import { defineFollowers, direct } from '#kernel';
import { email, user } from './user.decider.js';

/** Who takes an address is registered with it. */
export const emailFollowers = defineFollowers(email, {
  'email-taken.v1': ({ data }) => [direct(user, data.user_id, { type: 'register', user: data })],
});
