import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type Answer, type Json } from '../support/running-service.js';

const PURCHASES = '/api/v3/resellers/purchases';
const NONE = '{"purchases":[]}';

describe('A5.1, 4.6.2: the resales of a partner by their reference', () => {
  let service: RunningService;
  let acme: string;
  let rival: string;

  beforeAll(async () => {
    service = await RunningService.start();
    const basicOf = async (slug: string): Promise<string> => {
      const { id } = await service.newPartner(slug);
      const { username, password } = await service.operate('POST', `/partners/${id}/password`);
      return `${username}:${password}`;
    };
    [acme, rival] = [await basicOf('acme'), await basicOf('rival')];
    await service.newDeal('spa');
  });
  afterAll(() => service.discard());

  const resell = (basic: string, transaction_reference: string, quantity = 2): Promise<Answer> =>
    service.ask('POST', PURCHASES, {
      basic,
      body: {
        deal_id: 'spa',
        quantity,
        transaction_reference,
        transaction_date: '2027-01-31T12:00:00Z',
        transaction_amount: 900,
        first_name: 'Grace',
        last_name: 'Hopper',
      },
    });
  const list = (query: string, basic = acme): Promise<Answer> => service.ask('GET', `${PURCHASES}?${query}`, { basic });

  it('are listed as their call answers now, and only those of this reference', async () => {
    const sold = await resell(acme, 'order-1');
    await resell(acme, 'order-2');
    const { status, text } = await list('transaction_reference=order-1');
    expect([status, text]).toEqual([200, `{"purchases":[${sold.text}]}`]);
    expect((await service.ask('GET', `${PURCHASES}.json?transaction_reference=order-1`, { basic: acme })).text).toBe(
      text,
    );
    await service.ask('DELETE', `/api/v3/coupons/${sold.body.coupons[0].id}/cancel`, { basic: acme });
    const now = await resell(acme, 'order-1');
    expect((await list('transaction_reference=order-1')).text).toBe(`{"purchases":[${now.text}]}`);
    expect(now.body.coupons.map(({ state }: Json) => state)).toContain('cancelled');
  });

  it('come in pages, and as a number', async () => {
    await resell(acme, 'order-3');
    for (const [query, expected] of [
      ['transaction_reference=order-3&count=true', '{"count":1}'],
      ['transaction_reference=none&count=true', '{"count":0}'],
      ['transaction_reference=order-3&page=2', NONE],
    ] as const)
      expect((await list(query)).text).toBe(expected);
  });

  it('another partner’s reference is like one that nobody has used', async () => {
    await resell(acme, 'order-4');
    const [theirs, unknown] = [
      await list('transaction_reference=order-4', rival),
      await list('transaction_reference=no'),
    ];
    expect([theirs.status, theirs.text, unknown.status, unknown.text]).toEqual([200, NONE, 200, NONE]);
    const own = await resell(rival, 'order-4', 1);
    expect((await list('transaction_reference=order-4', rival)).text).toBe(`{"purchases":[${own.text}]}`);
    expect((await list('transaction_reference=order-4')).body.purchases).toMatchObject([{ number_bought: 2 }]);
  });

  it('a refused transaction is not listed', async () => {
    expect((await resell(acme, 'too-many', 1000)).status).toBe(422);
    expect((await list('transaction_reference=too-many')).text).toBe(NONE);
  });

  it('a reference that is missing or wrong is named', async () => {
    for (const [query, type, message] of [
      ['', 'missing_field', 'transaction_reference is required'],
      ['transaction_reference=', 'missing_field', 'transaction_reference is required'],
      ['transaction_reference[]=a&transaction_reference[]=b', 'invalid', 'must be text'],
    ] as const) {
      const { status, body } = await list(`${query}&per_page=0`);
      const entry = { type, message, field: 'transaction_reference', resource: 'purchase' };
      expect([query, status, body.errors]).toMatchObject([query, 422, [entry, { field: 'per_page' }]]);
    }
  });
});
