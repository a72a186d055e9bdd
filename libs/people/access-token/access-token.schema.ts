import { z } from 'zod';
import { integer, read, someOf, TOKEN_ACCESS, TOKEN_SCOPES, type ScopeName, type TokenAccess } from '#http';

/** The parameters of POST /users/:user_id/access_tokens (interface 4.15). */
export const ISSUE_ACCESS_TOKEN = z.object({
  expires_in: integer('lifetime').describe('Seconds from now on, at most 30 days.'),
  scope: someOf(TOKEN_SCOPES).describe('The resources that the token is for; `all` for every one.'),
  access: someOf(TOKEN_ACCESS).describe('`read` allows GET, `write` every other method.'),
});

/** What a token is to allow, and for how many seconds. */
export interface AccessTokenInput {
  readonly expires_in: number;
  readonly scope: readonly ScopeName[];
  readonly access: readonly TokenAccess[];
}

/** @throws ValidationFailed */
export function readAccessToken(parameters: unknown): AccessTokenInput {
  return read(ISSUE_ACCESS_TOKEN, parameters, 'access_token');
}
