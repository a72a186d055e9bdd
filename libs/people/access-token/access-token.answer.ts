import { z } from 'zod';

/** A new access token (interface 2.14). The answer to a repeated request does not have its id (ruling A11). */
export const ACCESS_TOKEN = z
  .strictObject({
    id: z
      .string()
      .exactOptional()
      .describe('The token itself, shown once: send it as `Authorization: Bearer <id>` or as `access_token`.'),
    user_id: z.string(),
    expires_in: z.int().describe('Seconds.'),
    scope: z.string().describe('Names of resources with commas between them, or `all`.'),
    access: z.string().describe('`read`, `write` or `read,write`.'),
  })
  .meta({ id: 'AccessToken', description: 'A token with which a user calls the service directly, for a while.' });

/** A token in the list of a user's (ruling I10), without its secret. */
export const ACCESS_TOKEN_LISTED = z
  .strictObject({
    id: z.string().describe('Names the token; it is not the token itself.'),
    scope: z.string().describe('Names of resources with commas between them, or `all`.'),
    access: z.string().describe('`read`, `write` or `read,write`.'),
    created_at: z.string().describe('UTC, such as 2013-10-25T06:59:59Z.'),
    expires_at: z.string().describe('UTC, such as 2013-10-25T06:59:59Z.'),
  })
  .meta({ id: 'ListedAccessToken', description: 'An access token of a user that still counts, without its secret.' });
