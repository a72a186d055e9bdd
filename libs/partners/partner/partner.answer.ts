import { z } from 'zod';
import { MOMENT, success, TOKEN_ACCESS, TOKEN_SCOPES } from '#http';

const PARTNER = { id: z.string(), name: z.string(), slug: z.string() };
const API_KEY = { api_key: z.string().exactOptional().describe('Shown once.'), key_id: z.string() };
const PASSWORD = { username: z.string(), password: z.string().exactOptional().describe('Shown once.') };

const STOREFRONT_URL = z.string().nullable().describe('Where the mails of this partner link to; null: to `show_url`.');

const SUSPENDED = z.boolean().describe('Whether its credentials, its users’ access tokens and its mails are paused.');

/** A key in the operators' list (ruling I8). */
export const KEY_LISTED = z
  .strictObject({
    key_id: z.string(),
    name: z.string().nullable(),
    created_at: MOMENT,
    scope: z.array(z.enum(TOKEN_SCOPES)).nullable().describe('What a restricted key may call; null: everything.'),
    access: z.array(z.enum(TOKEN_ACCESS)).nullable().describe('`read` is GET, `write` the rest; null: both.'),
    last_used_on: z
      .string()
      .nullable()
      .describe('The day of its last use in UTC; null: never used. Some minutes of a day may pass until it shows.'),
    revoked: z.boolean(),
  })
  .meta({ id: 'PartnerKey', description: 'A key of a partner, without its secret.' });

/** A partner in the operators' list (ruling G2), without secrets. */
export const PARTNER_LISTED = z
  .strictObject({ ...PARTNER, storefront_url: STOREFRONT_URL, suspended: SUSPENDED, keys: z.array(KEY_LISTED) })
  .meta({ id: 'Partner', description: 'A partner and its keys, without their secrets.' });

/** A new partner with its secrets. The answer to a repeat of the request has no secrets (ruling A11). */
export const NEW_PARTNER = success({ partner: z.strictObject(PARTNER), ...API_KEY, ...PASSWORD });
/** What operators can change of a partner, as it is now. */
export const CHANGED_PARTNER = success({
  partner: z.strictObject({ id: z.string(), storefront_url: STOREFRONT_URL, suspended: SUSPENDED }),
});
export const NEW_KEY = success(API_KEY);
export const NEW_PASSWORD = success(PASSWORD);
