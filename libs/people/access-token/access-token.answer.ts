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
