import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { nearestName } from './nearest-name.js';
import { boolean, freeObject, integer, list, optional, text, words } from './parameters.js';
import { ignoredHeader, namesTaken, unusedIn } from './unused-parameters.js';

const SCHEMA = z.object({
  email: text('line'),
  first_name: optional(text('line')),
  num_bought: integer('any'),
  user: z.object({ first_name: text('line'), password: text('line') }).optional(),
  locations: list('locations', z.object({ address: z.object({ postal_code: text('zip') }) }), '')
    .nullable()
    .optional(),
  partner_data: freeObject().optional(),
  tags: words('tags', text('line')).optional(),
  is_deleted: boolean().default(false),
});
const TAKEN = namesTaken(SCHEMA) ?? new Map();
const headerOf = (parameters: object): string | undefined => {
  const unused = unusedIn(parameters, TAKEN);
  return unused && ignoredHeader(unused);
};

describe('A2: the parameters that a call does not use', () => {
  it.each<readonly [object, string | undefined]>([
    [{}, undefined],
    [{ email: 'a', num_bought: 1, tags: ['x'], is_deleted: 'true' }, undefined],
    [{ partner_data: { anything: { at: 'all' } }, user: { first_name: 'Ann' } }, undefined],
    [{ firstname: 'Ann', color: 'red' }, 'firstname (first_name?), color'],
    [{ quantity: 2 }, 'quantity (num_bought?)'],
    // The nearest one was sent as well.
    [{ firstname: 'Ann', first_name: 'Ann' }, 'firstname'],
    [{ user: { firstname: 'Ann' } }, 'user.firstname (user.first_name?)'],
    [
      { user: 'u1', locations: [null, 5, { address: { zip: '1' } }, { address: { zip: '2' } }] },
      'locations.address.zip (locations.address.postal_code?)',
    ],
    // A credential in a section is none.
    [{ api_key: 'k', access_token: 't', user: { api_key: 'k' } }, 'user.api_key'],
  ])('%j', (parameters, header) => {
    expect(headerOf(parameters)).toBe(header);
  });

  it('have bounds, and what may be a value that was sent as a name is only counted', () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`${'x'.repeat(56)}${n}`, 1]));
    const header = headerOf(many) ?? '';
    expect(header).toMatch(/^x{56}0, .*, x{56}9, and 1990 more$/);
    expect(header.length).toBeLessThan(700);
    for (const name of [
      '4242424242424242',
      'correct horse',
      'naïve',
      'a\r\nset-cookie: b',
      '',
      'x'.repeat(61),
      '\ud800',
    ])
      expect(headerOf({ [name]: '' })).toBe('1 without a name');
  });
});

describe('A2: the nearest name', () => {
  const known = [
    'deal_id',
    'user_id',
    'num_bought',
    'first_name',
    'last_name',
    'credit_card',
    'shipping_address',
    'zip_code',
    'expected_price_per_unit',
    'transaction_reference',
    'verification_value',
  ];
  it.each([
    ['firstname', 'first_name'],
    ['firstName', 'first_name'],
    ['FIRST-NAME', 'first_name'],
    ['frist_name', 'first_name'],
    ['surname', 'last_name'],
    ['quantity', 'num_bought'],
    ['deal', 'deal_id'],
    ['card', 'credit_card'],
    ['address', 'shipping_address'],
    ['postal_code', 'zip_code'],
    ['price', 'expected_price_per_unit'],
    ['expected_price', 'expected_price_per_unit'],
    ['reference', 'transaction_reference'],
    ['transaction_ref', undefined],
    ['cvc', 'verification_value'],
    ['id', undefined],
    ['name', undefined],
    ['x', undefined],
    ['colour', undefined],
  ])('%s: %s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });
});
