import { z } from 'zod';
import { boolean, link, optional, read, slug, someOf, text, TOKEN_ACCESS, TOKEN_SCOPES, ValidationFailed } from '#http';
import type { PartnerChange } from './partner.decider.js';
import type { KeyInput } from './partner.commands.js';
import { isStorefront } from './storefront.js';

const NO_STOREFRONT = 'must be an https address with {deal_id} in its path or query';

const storefront = link(NO_STOREFRONT)
  .refine(isStorefront, { error: NO_STOREFRONT })
  .describe('An https address with `{deal_id}` in its path or query: the mails of this partner link there.');

/** The parameters of POST /operators/partners (ruling G2). */
export const CREATE = z.object({ name: text('line'), slug: slug(), storefront_url: storefront.nullable().optional() });

/** The parameters of PUT /operators/partners/:id (rulings H4, I10). */
export const CHANGE = z.object({
  storefront_url: storefront.nullable().optional(),
  suspended: optional(boolean()).describe(
    'true pauses all credentials of the partner, its users’ access tokens and its mails; false gives back what has not ended otherwise.',
  ),
});

/** @throws ValidationFailed if nothing is to be changed, too */
export function readChange(parameters: Readonly<Record<string, unknown>>): PartnerChange {
  const change = read(CHANGE, parameters, 'partner');
  if (change.storefront_url !== undefined || change.suspended !== undefined) return change;
  throw new ValidationFailed(
    ['storefront_url', 'suspended'].map((field) => ({
      type: 'missing_field',
      message: 'is missing: send storefront_url, suspended or both',
      field,
      resource: 'partner',
    })),
  );
}

/** Blanks around it are no part of a name, and people must see all of it: two names that look the same are one (`keyNamed`). */
const keyName = text('label')
  .transform((name) => name.trim())
  .refine((name) => name !== '', { error: 'must not be blank' })
  .refine((name) => !/\p{Cf}/u.test(name), { error: 'must have no invisible characters' });

/**
 * The parameters of POST /operators/partners/:id/keys (ruling I8). Without any, the key is a full one: so an unknown name is
 * refused, or a slip such as `scopes` would give a till everything.
 */
export const ISSUE_KEY = z.strictObject({
  name: optional(keyName).describe(
    'What the key is for, such as `till`; required with a scope. It is no secret. Keys of one name replace each other, and allow the same.',
  ),
  scope: optional(someOf(TOKEN_SCOPES)).describe('The resources that a restricted key is for; `all` for every one.'),
  access: optional(someOf(TOKEN_ACCESS)).describe('`read` allows GET, `write` every other method; with `scope`.'),
});

/** @throws ValidationFailed if a part of a restriction is missing, too */
export function readKey(parameters: Readonly<Record<string, unknown>>): KeyInput {
  const { name = null, scope, access } = read(ISSUE_KEY, parameters, 'key');
  if (scope === undefined && access === undefined) return { name, restriction: null };
  const given = { name: name ?? undefined, scope, access };
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  if (missing.length > 0 || scope === undefined || access === undefined) {
    throw new ValidationFailed(
      missing.map(([field]) => ({
        type: 'missing_field',
        message: 'is missing: a restricted key has a name, a scope and an access',
        field,
        resource: 'key',
      })),
    );
  }
  return { name, restriction: { scope, access } };
}
