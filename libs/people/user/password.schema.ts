import { z } from 'zod';
import { isPlainNumber, missing, unlessNumber, type ErrorEntry } from '#http';
import { LONGEST_PASSWORD } from '#kernel/bounds';

/** Characters (interface 8). */
const SHORTEST = 5;

const NO_TEXT = unlessNumber('must be text');

/** Any characters: {@link readPassword} checks them. */
const chosen = (description: string) =>
  z.string().optional().meta({ description, minLength: SHORTEST, maxLength: LONGEST_PASSWORD });

/** A new password, under either name (ruling D6). */
export const PASSWORD = {
  password: chosen('At least 5 characters.'),
  password_confirmation: chosen('The same again.'),
  pass: chosen('Another name of password.'),
  pass_confirmation: chosen('Another name of password_confirmation.'),
};
type PasswordName = keyof typeof PASSWORD;

/** The result of {@link readPassword}. */
export interface PasswordInput {
  /** Whether the caller sent the password or its confirmation; an empty one counts as absent. */
  readonly isGiven: boolean;
  /** Empty if there are faults. */
  readonly password: string;
  /** Faults of the password come before those of the confirmation; each names the parameter that the caller used. */
  readonly faults: readonly ErrorEntry[];
}

/**
 * Reads a new password: `pass` with `pass_confirmation`, or `password` with `password_confirmation` (ruling D6). It needs
 * at least 5 characters and the confirmation (interface 4.9). An integer counts as its decimal text (ruling I1).
 */
export function readPassword(parameters: Readonly<Record<string, unknown>>): PasswordInput {
  const isThere = (name: PasswordName): boolean => (parameters[name] ?? '') !== '';
  const short = isThere('pass') || (!isThere('password') && isThere('pass_confirmation'));
  const [field, other] = short ? (['pass', 'password'] as const) : (['password', 'pass'] as const);
  const confirming = !isThere(`${field}_confirmation`) && isThere(`${other}_confirmation`) ? other : field;
  const confirmingField = `${confirming}_confirmation` as const;

  const faults: ErrorEntry[] = [];
  const refuse = (message: string, name: string): number =>
    faults.push({ type: 'invalid', message, field: name, resource: 'user' });

  const password = textOf(parameters[field]);
  if (!isThere(field)) faults.push(missing(field, 'user'));
  else if (password === undefined) refuse(NO_TEXT({ input: parameters[field] }), field);
  else if (password.length > LONGEST_PASSWORD) refuse(`must have at most ${LONGEST_PASSWORD} characters`, field);
  else if (Array.from(password).length < SHORTEST) refuse(`must have at least ${SHORTEST} characters`, field);

  if (!isThere(confirmingField)) faults.push(missing(confirmingField, 'user'));
  else if (password !== undefined && textOf(parameters[confirmingField]) !== password) {
    refuse('does not match', confirmingField);
  }
  return {
    isGiven: isThere(field) || isThere(confirmingField),
    password: faults.length === 0 ? (password ?? '') : '',
    faults,
  };
}

function textOf(input: unknown): string | undefined {
  if (isPlainNumber(input)) return String(input);
  return typeof input === 'string' && input !== '' ? input : undefined;
}
