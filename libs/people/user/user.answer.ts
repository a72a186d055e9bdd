import { z } from 'zod';

/** A user as answers show them (interface 2.7, ruling B8). */
export const USER = z
  .strictObject({
    id: z.string(),
    firstname: z.string().nullable().describe('The parameter `first_name`.'),
    lastname: z.string().nullable().describe('The parameter `last_name`.'),
    image_url: z.null(),
    points: z.int().describe('0; no answer shows `credits`.'),
    token: z.string().nullable().describe('The partner’s own token for the user.'),
  })
  .meta({
    id: 'User',
    description:
      'A user of the partner. No answer shows the e-mail address, birthday, postal code, source, credits or partner_data.',
  });
