import { z } from 'zod';

/** A user as answers show them (interface 2.7, ruling B8). */
export const USER = z
  .strictObject({
    id: z.string(),
    firstname: z.string().nullable().describe('What is sent as `first_name`.'),
    lastname: z.string().nullable().describe('What is sent as `last_name`.'),
    image_url: z.null(),
    points: z.int().describe('From 0; `credits` are kept, and not shown.'),
    token: z.string().nullable().describe('The partner’s own token for the user.'),
  })
  .meta({
    id: 'User',
    description:
      'A user of the partner. The e-mail address, birthday, postal code, source, credits and partner_data are kept, and not shown.',
  });
