import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('the support desk looks up', () => {
  let service: RunningService;
  let acme: TestPartner;
  let bought: Json;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 10 });
    bought = await buy(service, acme.key, 'lunch', await service.newUser(acme.key, 'ann@example.com'), 2);
  });
  afterAll(() => service.discard());

  const look = (path: string, token = service.auditorToken): Promise<Answer> =>
    service.ask('GET', `/operators/${path}`, { token });

  it('G5: a purchase of any partner, as its partner sees it, and whose it is', async () => {
    const found = await look(`purchases/${bought.id}`);
    const own = await service.ask('GET', `/purchases/${bought.id}`, { key: acme.key });
    // But for the pages that show the buyer's name: nobody could see who has read it (G7.9).
    const coupons = own.body.purchase.coupons.map(({ print_url: _, ...coupon }: Json) => coupon);
    const purchase = { ...own.body.purchase, coupons };
    expect(found.body).toEqual({ status: 'success', partner_id: acme.id, purchase });
    expect(coupons).toHaveLength(2);
    expect((await look(`purchases/${bought.id}`, service.operatorToken)).text).toBe(found.text);
    const held = await reserve(service, acme.key, 'lunch', 1);
    expect((await look(`purchases/${held.id}`)).body.purchase.fulfillment_state).toBe('reserved');
    expect((await look('purchases/nothing')).status).toBe(404);
  });

  it('G5 I8: a coupon of any partner by its id in any case or its barcode, and its purchase', async () => {
    const [{ id, barcode }] = bought.coupons;
    const found = await look(`coupons/${id}`);
    expect(found.body).toMatchObject({
      status: 'success',
      partner_id: acme.id,
      purchase_id: bought.id,
      user_id: bought.user_id,
      coupon: { id, barcode },
    });
    for (const named of [id.toUpperCase(), barcode, barcode.replace(/(....)/g, '$1-').slice(0, -1)])
      expect((await look(`coupons/${named}`)).text).toBe(found.text);
    expect((await look('coupons/000000000000')).status).toBe(404);
  });
});
