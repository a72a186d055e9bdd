import { z } from 'zod';
import { text } from './parameters.js';

/** The user of a call that has none in its path. With an access token it may be absent (ruling A7). */
export const OF_USER = z.object({
  user_id: text('id').describe('With an access token, its user, and may be left out.'),
});

/** The same for a call that is about the partner if it names no user. A blank one is a fault, and so never everything. */
export const PERHAPS_OF_USER = z.object({
  user_id: text('id').optional().describe('With an access token, its user.'),
});
