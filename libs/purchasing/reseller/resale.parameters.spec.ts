import { describe, expect, it } from '@jest/globals';
import { RESALE_EXAMPLE, readResale } from './resale.parameters.js';

const { first_name: _, last_name: __, quantity: ___, ...BARE } = RESALE_EXAMPLE;

describe('4.6.2: the parameters of a reseller', () => {
  it('have a quantity of 1 and no buyer, if nothing is sent about them', () => {
    for (const nothing of [{}, { first_name: '', telephone: ' ' }]) {
      const { order } = readResale({ ...BARE, ...nothing });
      expect(order.sent).toMatchObject({ quantity: 1, buyer: null });
      expect(order.absent).toEqual(expect.arrayContaining(['quantity', 'first_name', 'telephone']));
    }
  });

  it('have a buyer, if anything is sent about them', () => {
    expect(readResale({ ...BARE, telephone: '1' }).order.sent?.buyer).toMatchObject({ telephone: '1', city: null });
  });
});
