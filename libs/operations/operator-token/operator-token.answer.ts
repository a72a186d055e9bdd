import { z } from 'zod';
import { MOMENT, success } from '#http';
import { OPERATOR_ROLES } from './operator-token.events.js';

/** A token in a list (ruling G1), without its secret. */
export const TOKEN_LISTED = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    role: z.enum(OPERATOR_ROLES),
    created_at: MOMENT,
    expires_at: MOMENT.nullable().describe('When it ends; null: never.'),
    last_used_on: z.string().nullable().describe('The day of its last use, in UTC; null: never.'),
    state: z.enum(['valid', 'ended', 'revoked']).describe('`ended`: its time is over.'),
    revoked: z.boolean(),
  })
  .meta({ id: 'Token', description: 'A token of an operator or auditor, without its secret.' });

/** A new token. The answer to a repeated request does not have the secret (ruling A11). */
export const NEW_TOKEN = success({ token: z.string().exactOptional().describe('Shown once.'), id: z.string() });
