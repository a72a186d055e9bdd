import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '#http';
import { readNewUser, readUserEmail } from './user.schema.js';

/** The entries of a refusal. */
function faultsOf(reading: () => unknown): unknown {
  try {
    return reading();
  } catch (error) {
    if (error instanceof ValidationFailed) return error.entries;
    throw error;
  }
}

const missing = (field: string) => ({ type: 'missing_field', message: 'is missing', field, resource: 'user' });
const invalid = (field: string, message: string) => ({ type: 'invalid', message, field, resource: 'user' });
const NO_OBJECT = invalid('user', 'must be an object');
const NO_EMAIL = invalid('email', 'must be an e-mail address: it has no @');

const ann = { email: 'ann@example.test', password: 'secret', password_confirmation: 'secret' };

describe('the user of a full purchase', () => {
  it('E1 4.9: has an address, a password under either name, and optional names', () => {
    const names = { first_name: undefined, last_name: undefined };
    const { email, password } = ann;
    expect(readNewUser(ann)).toEqual({ email, password, ...names });
    expect(readNewUser({ email, pass: 'secret', pass_confirmation: 'secret' })).toEqual({ email, password, ...names });
    expect(readNewUser({ ...ann, first_name: 'Ann', last_name: '' })).toEqual({
      email,
      password,
      ...names,
      first_name: 'Ann',
    });
    expect(readUserEmail({ email })).toBe(email);
    expect(readUserEmail({ email, password: 7 })).toBe(email);
  });

  it.each<readonly [unknown, ...object[]]>([
    [undefined, NO_OBJECT],
    [null, NO_OBJECT],
    ['ann', NO_OBJECT],
    [[ann], NO_OBJECT],
    [{}, missing('email'), missing('password'), missing('password_confirmation')],
    [{ email: 'x', pass: 'secret' }, NO_EMAIL, missing('pass_confirmation')],
    [
      { ...ann, password: 'four', first_name: {}, last_name: [], email: '' },
      missing('email'),
      invalid('password', 'must have at least 5 characters'),
      invalid('password_confirmation', 'does not match'),
      invalid('first_name', 'must be text'),
      invalid('last_name', 'must be text'),
    ],
  ])('7.2 8: %j is refused with all its faults together', (given, ...faults) => {
    expect(faultsOf(() => readNewUser(given))).toEqual(faults);
  });

  it('7.2: is looked up by the address alone', () => {
    expect(faultsOf(() => readUserEmail('ann'))).toEqual([NO_OBJECT]);
    expect(faultsOf(() => readUserEmail({ password: 'four' }))).toEqual([missing('email')]);
    expect(faultsOf(() => readUserEmail({ email: 'x', password: 'four' }))).toEqual([NO_EMAIL]);
  });
});
