import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, claim, reserve } from '../support/buying.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';

describe('a deal, for operators and auditors', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('lunch', { stock: 10 });
  });
  afterAll(() => service.discard());

  const shown = async (slug: string, token = service.auditorToken): Promise<Json> => {
    const answer = await service.ask('GET', `/operators/deals/${slug}`, { token });
    expect(answer.status).toBe(200);
    return answer.body;
  };

  it('G4: is shown as it was set', async () => {
    const body = { title: 'A long lunch', cost: 300, redemption_url: 'https://lunch.example/redeem' };
    const set = await service.ask('PUT', '/operators/deals/lunch', { token: service.operatorToken, body });
    expect((await shown('lunch')).deal).toEqual(set.body.deal);
    expect((await shown('lunch', service.operatorToken)).deal).toMatchObject(body);
  });

  it('G4: has its units as they are now: held, sold, returned, left, and what is open', async () => {
    expect((await shown('lunch')).units).toEqual({
      ...{ stock: 10, held: 0, sold: 0, returned: 0, left: 10, codes_left: null },
      ...{ open_holds: 0, open_checkouts: 0, open_resales: 0, next_deadline: null },
    });
    const bought = await buy(service, acme.key, 'lunch', ann, 3);
    const { id, reservation_expires_at } = await reserve(service, acme.key, 'lunch', 2);
    const { units } = await shown('lunch');
    expect(units).toMatchObject({ held: 2, sold: 3, returned: 0, left: 5, open_holds: 1 });
    expect(Date.parse(units.next_deadline)).toBeGreaterThan(Date.now());
    if (reservation_expires_at !== undefined)
      expect(Date.parse(units.next_deadline)).toBe(Date.parse(reservation_expires_at));
    await claim(service, acme.key, id, ann);
    const cancelled = await service.ask('POST', `/operators/coupons/${bought.coupons[0].id}/cancel`, {
      token: service.operatorToken,
      body: { reason: 'closed' },
    });
    expect(cancelled.status).toBe(200);
    expect((await shown('lunch')).units).toMatchObject({ held: 0, sold: 4, returned: 1, left: 6, next_deadline: null });
  });

  it('G4: shows codes that are left, and no limit as null', async () => {
    await service.newDeal('spa', { stock: null, redemption_code_pool: ['one', 'two', 'three'] });
    await buy(service, acme.key, 'spa', ann, 1);
    expect((await shown('spa')).units).toMatchObject({ stock: null, left: 2, codes_left: 2 });
    await service.newDeal('tram', { stock: null });
    expect((await shown('tram')).units).toMatchObject({ stock: null, left: null, codes_left: null });
  });
});
