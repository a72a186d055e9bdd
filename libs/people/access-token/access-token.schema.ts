import { z } from 'zod';
import { integer, read, text, TOKEN_ACCESS, TOKEN_SCOPES, type ScopeName, type TokenAccess } from '#http';

/** Some of these words, with commas between them or as a list (ruling A2). A word that is given twice counts once. */
const someOf = <T extends string>(known: readonly T[]): z.ZodType<readonly T[]> =>
  z.preprocess(
    (input) => (Array.isArray(input) ? input.join(',') : input),
    text('line').transform((given, context) => {
      const words = [...new Set(given.split(','))];
      if (words.every((word): word is T => (known as readonly string[]).includes(word))) return words;
      context.addIssue({ code: 'custom', message: `must be one or more of ${known.join(', ')}` });
      return z.NEVER;
    }),
  );

/** The parameters of POST /users/:user_id/access_tokens (interface 4.15). */
export const ISSUE_ACCESS_TOKEN = z.object({
  expires_in: integer('lifetime').describe('Seconds from now on, at most a year.'),
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
