import { describe, expect, it } from '@jest/globals';
import type { ErrorEntry } from '#http';
import { entriesOf } from './order.faults.js';
import type { OrderFault } from './order.js';
import { readOrder } from './read-order.js';

const NOW = Date.UTC(2030, 0, 1);
const PARAMETERS = { deal_id: 'spa', quantity: 1 };
const USER = {
  email: 'ann@example.org',
  password: 'correct horse',
  password_confirmation: 'correct horse',
};
const CARD = { number: '4242424242424242', verification_value: 123, month: 12, year: 2035, zip_code: '02114' };

describe('an order, read from its parameters', () => {
  it('A2, 7.2: names an affiliate session of at most 255 characters', () => {
    const longest = 'x'.repeat(255);
    const read = readOrder('full', { ...PARAMETERS, session_id: longest }, NOW);
    expect(read.order).toMatchObject({ session_id: longest, readable: true });
    const tooLong = readOrder('full', { ...PARAMETERS, session_id: `${longest}x` }, NOW);
    expect(tooLong).toMatchObject({
      order: { deal_id: 'spa', quantity: 1, session_id: undefined, readable: false },
      unreadable: {
        purchase: [
          { type: 'invalid', message: 'must have at most 255 characters', field: 'session_id', resource: 'purchase' },
        ],
      },
    });
  });

  it('4.6.1: has values in place of parameters, and the verification value apart from the card', () => {
    const { order } = readOrder('full', { ...PARAMETERS, user: USER, credit_card: CARD, other: 'x' }, NOW);
    expect(order).toEqual({
      kind: 'full',
      deal_id: 'spa',
      quantity: 1,
      expected_price: undefined,
      session_id: undefined,
      readable: true,
      buyer: { by: 'details', details: { email: USER.email, user: expect.objectContaining({ email: USER.email }) } },
      card: {
        by: 'details',
        details: { number: '4242424242424242', month: '12', year: '2035', zip_code: '02114' },
      },
      address: { by: 'nothing' },
      verification_value: '123',
    });
  });

  it('D6: has the e-mail address of a user even if the rest has faults', () => {
    const { order, unreadable } = readOrder('full', { ...PARAMETERS, user: { email: USER.email } }, NOW);
    expect(order.buyer).toEqual({ by: 'details', details: { email: USER.email, user: undefined } });
    expect(unreadable.buyer.map(({ field }) => field)).toEqual(['password', 'password_confirmation']);
  });

  it('4.6.1, A2: prefers an id to details and marks both; a number counts as its text, an empty value as absent', () => {
    const { order } = readOrder('full', { user_id: 7, user: USER, credit_card_id: '', shipping_address_id: [] }, NOW);
    expect(order.buyer).toEqual({ by: 'id', id: '7', withDetails: true });
    expect([order.card, order.address]).toEqual([{ by: 'nothing' }, { by: 'unreadable' }]);
  });

  it('4.6: ignores details with a stored card', () => {
    const { order } = readOrder('stored-card', { user_id: 'u', user: USER, credit_card: CARD }, NOW);
    expect(order).toMatchObject({
      buyer: { by: 'id', withDetails: false },
      card: { by: 'nothing' },
      verification_value: undefined,
    });
  });

  it('A11: has its verification value in a repeated call, even if the card has expired since', () => {
    const { order } = readOrder('full', { credit_card: { ...CARD, year: 2020 } }, NOW);
    expect(order).toMatchObject({ card: { by: 'unreadable' }, verification_value: '123' });
  });
});

describe('D6: the faults of an order, in an answer', () => {
  const answered = (
    faults: readonly OrderFault[],
    parameters: Readonly<Record<string, unknown>>,
  ): readonly ErrorEntry[] => entriesOf(faults, readOrder('full', parameters, NOW));

  it('come in the order user, card, purchase, address, deal; those of the purchase in the order of its parameters', () => {
    const faults: readonly OrderFault[] = [
      { part: 'deal', code: 'unknown' },
      { part: 'address', code: 'of_another' },
      { part: 'purchase', code: 'other_price', price: 1_999 },
      { part: 'purchase', code: 'unreadable' },
      { part: 'purchase', code: 'too_many', at_most: 2 },
      { part: 'card', code: 'unknown' },
      { part: 'buyer', code: 'missing' },
    ];
    expect(answered(faults, { session_id: {}, quantity: 9 }).map(({ field, resource }) => field ?? resource)).toEqual([
      'user',
      'credit_card_id',
      'deal_id',
      'quantity',
      'expected_price_per_unit',
      'session_id',
      'shipping_address_id',
      'deal',
    ]);
  });

  it('name the right value', () => {
    const faults = [0, 1, 3].map((at_most) => ({ part: 'purchase', code: 'too_many', at_most }) as const);
    expect(answered(faults, PARAMETERS).map(({ detail }) => detail)).toEqual([
      'this user cannot buy more units of this deal',
      'this user can buy exactly 1 unit of this deal now',
      'this user can buy 1 to 3 units of this deal now',
    ]);
  });
});
