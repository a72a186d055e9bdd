import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, claim, reserve } from '../support/buying.js';
import { buyFull, cardOf, DECLINED_CARD, GOOD_CARD } from '../support/cards.js';
import { NO_DEAL } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('the ledger of a deal’s stock', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;
  let basic: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    basic = `acme:${(await service.operate('POST', `/partners/${acme.id}/password`)).password}`;
  });
  afterAll(() => service.discard());

  const ask = (path: string, token = service.auditorToken): Promise<Answer> =>
    service.ask('GET', `/auditors/deals/${path}`, { token });
  const ledger = async (deal: string): Promise<Json[]> => {
    const { status, body } = await ask(`${deal}/ledger?limit=1000`);
    expect([status, body.deal_id, body.next]).toEqual([200, deal, null]);
    return body.entries;
  };
  const unitsOf = async (deal: string): Promise<Json> =>
    (await service.ask('GET', `/operators/deals/${deal}`, { token: service.auditorToken })).body.units;
  const changesOf = (entries: readonly Json[]): unknown[] =>
    entries.map(({ type, change }) => [type, change.stock, change.held, change.sold]);

  /** Every change has its place, and together they are the units that the deal has now. */
  async function addsUp(deal: string, entries: readonly Json[]): Promise<void> {
    const sums: Record<string, number> = { stock: 0, held: 0, sold: 0 };
    for (const { change, units } of entries) {
      for (const [name, by] of Object.entries<number>(change)) sums[name] = (sums[name] ?? 0) + by;
      expect(units).toMatchObject(sums);
    }
    const { stock, held, sold, codes_left } = await unitsOf(deal);
    expect(entries.at(-1)?.units).toEqual({ stock, held, sold, codes_left });
  }

  it('G7.7: has each hold, release, sale, checkout, return, change of stock and resale; the changes add up', async () => {
    const { key } = acme;
    await service.newDeal('spa', { stock: 20 });
    const released = await reserve(service, key, 'spa', 3);
    await service.ask('PUT', `/purchases/${released.id}/release`, { key });
    const claimed = await reserve(service, key, 'spa', 2);
    await claim(service, key, claimed.id, ann);
    const order = { deal_id: 'spa', quantity: 2, user_id: ann };
    const bought = await buyFull(service, acme, { ...order, credit_card: cardOf(GOOD_CARD) });
    expect(bought.status).toBe(200);
    expect((await buyFull(service, acme, { ...order, credit_card: cardOf(DECLINED_CARD) })).status).toBe(422);
    const reason = { reason: 'closed' };
    await service.operate('POST', `/coupons/${bought.body.purchase.coupons[0].id}/cancel`, reason);
    await service.operate('PUT', '/deals/spa/stock', { units: 15 });
    // New terms change no units.
    await service.operate('PUT', '/deals/spa', { current_price: 900 });
    const resale = await service.ask('POST', '/api/v3/resellers/purchases', {
      basic,
      body: {
        ...{ deal_id: 'spa', quantity: 4, transaction_reference: 'order-1', transaction_amount: 3_600 },
        ...{ transaction_date: new Date().toISOString(), first_name: 'Zoë', last_name: 'Lee' },
      },
    });
    expect(resale.status).toBe(200);
    await reserve(service, key, 'spa', 1);
    const entries = await ledger('spa');
    expect(changesOf(entries)).toEqual([
      ['stock-set.v1', 20, 0, 0],
      ['hold-placed.v1', 0, 3, 0],
      ['hold-released.v1', 0, -3, 0],
      ['hold-placed.v1', 0, 2, 0],
      ['hold-claimed.v1', 0, -2, 2],
      ['checkout-started.v1', 0, 2, 0],
      ['checkout-sold.v1', 0, -2, 2],
      ['checkout-started.v1', 0, 2, 0],
      ['checkout-undone.v1', 0, -2, 0],
      ['unit-returned.v1', 0, 0, -1],
      ['stock-set.v1', -5, 0, 0],
      ['resale-started.v1', 0, 4, 0],
      ['resale-sold.v1', 0, -4, 4],
      ['hold-placed.v1', 0, 1, 0],
    ]);
    await addsUp('spa', entries);
  });

  it('G7.7: tells of each change when, who, why and what, as the stream does', async () => {
    await service.newDeal('tram', { stock: 5 });
    await buy(service, acme.key, 'tram', ann, 2);
    const [set, placed, claimed] = await ledger('tram');
    expect(Object.keys(set)).toEqual('revision position time actor cause type words change units'.split(' '));
    const { events } = (await service.ask('GET', '/auditors/streams/inventory-tram', { token: service.auditorToken }))
      .body;
    for (const { change, units, ...told } of [set, placed, claimed]) {
      expect(events[told.revision]).toMatchObject(told);
      expect([change, units]).toEqual([expect.any(Object), expect.any(Object)]);
    }
    expect([set.actor, set.words]).toEqual(['operator:operator', 'the stock is 5 units now; 0 held, 0 sold']);
    expect(placed.actor).toBe(`partner:acme/key:${acme.keyId}`);
    expect(placed.words).toMatch(/^2 units of tram are held until .*Z at \d+\.\d\d USD each$/);
    expect(claimed.words).toMatch(new RegExp(`^2 held units of tram are sold to user ${ann} at `));
  });

  it('G7.7: comes in parts, which are the whole together', async () => {
    await service.newDeal('lunch', { stock: 50 });
    for (let n = 0; n < 3; n += 1) await buy(service, acme.key, 'lunch', ann, 1);
    await service.operate('PUT', '/deals/lunch', { current_price: 900 });
    await service.operate('PUT', '/deals/lunch', { current_price: 950 });
    await reserve(service, acme.key, 'lunch', 2);
    const whole = await ledger('lunch');
    for (const limit of [1, 2, 3]) {
      const parts: Json[] = [];
      for (let from: number | null = 0; from !== null;) {
        const { body } = await ask(`lunch/ledger?from=${from}&limit=${limit}`);
        expect(body.entries.length).toBeLessThanOrEqual(limit);
        parts.push(...body.entries);
        from = body.next;
      }
      expect(parts).toEqual(whole);
    }
    const beyond = await ask('lunch/ledger?from=1000');
    expect([beyond.status, beyond.body.entries, beyond.body.next]).toEqual([200, [], null]);
  });

  it('G7.7: shows an unlimited stock as null, and the codes that are left', async () => {
    await service.newDeal('free', { stock: null });
    await reserve(service, acme.key, 'free', 2);
    const free = await ledger('free');
    expect(free.at(-1)).toMatchObject({ change: { held: 2, sold: 0 }, units: { stock: null, held: 2, sold: 0 } });
    await service.newDeal('coded', { stock: 5, redemption_code_pool: ['one', 'two', 'three'] });
    await buy(service, acme.key, 'coded', ann, 1);
    const coded = await ledger('coded');
    await addsUp('coded', coded);
    expect(coded.at(-1)?.units.codes_left).toBe(2);
  });

  it('G7.7: what names nothing is refused by name', async () => {
    for (const unknown of ['dinner', 'constructor', '%00']) {
      const { status, text } = await ask(`${unknown}/ledger`);
      expect([status, text]).toEqual([404, NO_DEAL]);
    }
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['limit=x', 'limit'],
      ['from=-1', 'from'],
    ]) {
      const { status, body } = await ask(`spa/ledger?${query}`);
      expect([query, status, body.errors?.map((each: Json) => each.field)]).toEqual([query, 422, [field]]);
    }
    expect((await ask('spa/ledger', service.operatorToken)).status).toBe(200);
    expect((await service.ask('GET', '/auditors/deals/spa/ledger', { key: acme.key })).status).toBe(401);
  });
});
