import { z } from 'zod';
import {
  boolean,
  date,
  emailAddress,
  faultsOf,
  freeObject,
  integer,
  isSection,
  optional,
  read,
  text,
  ValidationFailed,
  type ErrorEntry,
} from '#http';
import type { ProfileInput } from './profile.js';
import { PASSWORD, readPassword } from './password.schema.js';

const NAMES = { first_name: optional(text('line')), last_name: optional(text('line')) };

/** The body of POST /users. */
export const CREATE = z.object({
  email: emailAddress(),
  ...NAMES,
  birthday: optional(date()),
  postal_code: optional(text('zip')),
  source: optional(text('line')).describe('Where the user came from, for reports.'),
  token: optional(text('token')).describe('The partner’s own token for the user.'),
  credits: optional(integer('anyCents')).describe('Cents; SIGNUP_CREDIT if absent.'),
  partner_data: freeObject().optional(),
  session_id: optional(text('line')).describe('The affiliate session.'),
});

const ATTRIBUTES = {
  source: optional(text('line')).describe('Where the user came from, for reports.'),
  token: optional(text('token')).describe('The partner’s own token for the user.'),
  ...NAMES,
  birthday: optional(date()),
  postal_code: optional(text('zip')),
  partner_data: freeObject().optional().describe('The partner’s own: with an access token, 403.'),
};

const CHANGE = z.object({ email: optional(emailAddress()), ...ATTRIBUTES, is_deleted: optional(boolean()) });
/** The parameters of PUT /users/:user_id. */
export const CHANGE_USER = CHANGE.extend(PASSWORD);

/** The parameters of update_by_email, without the address in its path. */
export const UPDATE_BY_EMAIL = z.object({
  ...ATTRIBUTES,
  is_deleted: optional(boolean()),
  overwrite_token: optional(boolean()).describe('Lets a new token replace the stored one.'),
});
const WITH_EMAIL = z.object({ email: emailAddress(), ...UPDATE_BY_EMAIL.shape });

/** The parameters of GET /users. */
export const WITH_THIS_EMAIL = z.object({ email: emailAddress() });

const EMAIL = z.object({ email: emailAddress() }, { error: 'must be an object' });
const BUYER_NAMES = z.object(NAMES);
/** The user of a full purchase. */
export const NEW_USER = EMAIL.extend(PASSWORD).extend(NAMES);

/** The body of POST /users. @throws ValidationFailed */
export function readCreate(parameters: unknown): ProfileInput & { readonly email: string } {
  return read(CREATE, parameters, 'user');
}

/** A change by PUT /users/:user_id; what is undefined stays. */
export interface UserChangeInput {
  readonly attributes: ProfileInput;
  readonly deleted: boolean | undefined;
  /** In clear text; null where it stays. */
  readonly password: string | null;
}

/** What only the partner may set (ruling A6). */
const PARTNERS_ALONE = ['source', 'token'] as const;

/**
 * The parameters of PUT /users/:user_id (interface 4.9).
 * @param by who changes the user: the partner, or the user with an access token
 * @throws ValidationFailed, in the order of the interface
 */
export function readChange(
  parameters: Readonly<Record<string, unknown>>,
  by: 'partner' | 'user' = 'partner',
): UserChangeInput {
  const parsed = CHANGE.safeParse(parameters);
  const input = readPassword(parameters);
  const faults = [
    ...(by === 'user' ? partnersAlone(parameters) : []),
    ...(parsed.success ? [] : faultsOf(parsed.error, parameters, 'user')),
    ...(input.isGiven ? input.faults : []),
  ];
  if (!parsed.success || faults.length > 0) throw new ValidationFailed(faults);
  const { is_deleted, ...attributes } = parsed.data;
  return { attributes, deleted: is_deleted, password: input.isGiven ? input.password : null };
}

function partnersAlone(parameters: Readonly<Record<string, unknown>>): ErrorEntry[] {
  return PARTNERS_ALONE.filter((field) => (parameters[field] ?? '') !== '').map((field) => {
    const message = 'is valid only with the partner’s own credential';
    return { type: 'invalid', message, field, resource: 'user' };
  });
}

/** A change by update_by_email; the address comes from the path. */
export interface UpdateByEmailInput {
  readonly email: string;
  readonly attributes: ProfileInput;
  readonly deleted: boolean | undefined;
  readonly overwriteToken: boolean;
}

/** The parameters of PUT /users/:email/update_by_email (interface 4.9). @throws ValidationFailed */
export function readUpdateByEmail(parameters: Readonly<Record<string, unknown>>, email: string): UpdateByEmailInput {
  const input = read(WITH_EMAIL, { ...parameters, email }, 'user');
  const { email: address, is_deleted, overwrite_token, ...attributes } = input;
  return { email: address, attributes, deleted: is_deleted, overwriteToken: overwrite_token ?? false };
}

/** The user of a full purchase (interface 4.6.1). */
export interface NewUser {
  readonly email: string;
  /** In clear text. */
  readonly password: string;
  readonly first_name: string | undefined;
  readonly last_name: string | undefined;
}

/**
 * Reads the `user` object of a full purchase: email, password and its confirmation (under either name), and names.
 * @throws ValidationFailed with entries of resource `user`, in that order
 */
export function readNewUser(input: unknown): NewUser {
  const object = anObject(input);
  const password = readPassword(object);
  const faults = [...faultsIn(EMAIL, object), ...password.faults, ...faultsIn(BUYER_NAMES, object)];
  if (faults.length > 0) throw new ValidationFailed(faults);
  const { first_name, last_name } = BUYER_NAMES.parse(object);
  return { email: EMAIL.parse(object).email, password: password.password, first_name, last_name };
}

/** Reads only the e-mail address of the `user` object, to look for the user. @throws ValidationFailed */
export function readUserEmail(input: unknown): string {
  return read(EMAIL, anObject(input), 'user').email;
}

function faultsIn(schema: z.ZodType, object: object): ErrorEntry[] {
  const parsed = schema.safeParse(object);
  return parsed.success ? [] : faultsOf(parsed.error, object, 'user');
}

/** @throws ValidationFailed if it is not an object */
function anObject(input: unknown): Readonly<Record<string, unknown>> {
  if (isSection(input)) return input;
  throw new ValidationFailed([{ type: 'invalid', message: 'must be an object', field: 'user', resource: 'user' }]);
}
