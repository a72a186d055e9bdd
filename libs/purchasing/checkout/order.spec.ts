import { describe, expect, it } from '@jest/globals';
import { readOrder } from './order.js';

describe('the parameters of an order', () => {
  it('A2, 7.2: names an affiliate session of at most 255 characters', () => {
    const said = { deal_id: 'spa', quantity: 1 };
    const longest = 'x'.repeat(255);
    expect(readOrder('full', { ...said, session_id: longest })).toMatchObject({ session_id: longest, faults: [] });
    expect(readOrder('full', { ...said, session_id: `${longest}x` })).toMatchObject({
      session_id: undefined,
      faults: [
        { type: 'invalid', message: 'must have at most 255 characters', field: 'session_id', resource: 'purchase' },
      ],
    });
  });
});
