import { z } from 'zod';
import { success } from '#http';

const PARTNER = { id: z.string(), name: z.string(), slug: z.string() };
const API_KEY = { api_key: z.string().exactOptional().describe('Shown once.'), key_id: z.string() };
const PASSWORD = { username: z.string(), password: z.string().exactOptional().describe('Shown once.') };

const STOREFRONT_URL = z.string().nullable().describe('Where the mails of this partner link to; null: to `show_url`.');

/** A partner in the operators' list (ruling G2), without secrets. */
export const PARTNER_LISTED = z
  .strictObject({
    ...PARTNER,
    storefront_url: STOREFRONT_URL,
    keys: z.array(z.strictObject({ key_id: z.string(), revoked: z.boolean() })),
  })
  .meta({ id: 'Partner', description: 'A partner and its keys, without their secrets.' });

/** A new partner with its secrets. The answer to a repeat of the request has no secrets (ruling A11). */
export const NEW_PARTNER = success({ partner: z.strictObject(PARTNER), ...API_KEY, ...PASSWORD });
/** The storefront of a partner, as it is now. */
export const STOREFRONT = success({ partner: z.strictObject({ id: z.string(), storefront_url: STOREFRONT_URL }) });
export const NEW_KEY = success(API_KEY);
export const NEW_PASSWORD = success(PASSWORD);
