import { z } from 'zod';

/** A user as answers show him (interface 2.7, ruling B8). */
export const USER = z
  .strictObject({
    id: z.string(),
    firstname: z.string().nullable(),
    lastname: z.string().nullable(),
    image_url: z.null(),
    points: z.int(),
    token: z.string().nullable().describe('The partner’s own token for the user.'),
  })
  .meta({ id: 'User', description: 'A user of the partner.' });
