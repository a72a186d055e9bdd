import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, moveTo, reserve, timeOf } from '../support/buying.js';
import { fault, NO_DEAL, NO_PURCHASE, NO_USER, unableToFind } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

/** Interface 2.5, in its order. */
const KEYS =
  `id purchase_id deal_type deal_id price amount number_bought payment_state fulfillment_state created_at user_id
  credit_card_id deal coupons`.split(/\s+/);
/** The text of ruling B1. */
const SPOKEN = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}$/;
const refused = (message: string): string => `{"status":"error","error_type":"cannot_fufill","error_msg":"${message}"}`;
const NO_RESERVATION = unableToFind(
  'you have no reservation with this id; a purchase by card has no hold: ask an operator to refund it',
);
const HOLD = 300_000;

describe('reserve, claim, release', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;
  let bob: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    bob = await service.newUser(acme.key, 'bob@example.com');
    await service.newDeal('plain', {
      title: 'Plain',
      end_at: '2036-01-01T00:00:00Z',
      current_price: 1050,
      image: '/p.jpg',
    });
  });
  afterAll(() => service.discard());

  const put = (path: string, body?: object): Promise<Answer> => service.ask('PUT', path, { key: acme.key, body });
  const claims = (id: string, user_id: string): Promise<Answer> => put(`/purchases/${id}/claim`, { user_id });
  const releases = (id: string): Promise<Answer> => put(`/purchases/${id}/release`);
  const reserves = (deal_id: string, num_bought: unknown): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', { key: acme.key, body: { deal_id, num_bought } });
  const get = async (id: string): Promise<Answer> => service.ask('GET', `/purchases/${id}`, { key: acme.key });
  const left = async (slug: string): Promise<number> =>
    (await service.look(`/deals/${slug}`, acme.key)).body.deal.num_left;

  it('2.5.1, 2.5.2, 2.5.3, 2.5.4, 2.5.5, 2.5.6, 3.2.1, 4.6.4, 4.6.5, 8.10, 2.5, 3.2, 4.6, B6, A9: a reservation is pending and reserved, without user or coupons', async () => {
    const { body } = await reserves('plain', 3);
    expect(Object.keys(body)).toEqual(['status', 'purchase']);
    const { purchase } = body;
    expect(Object.keys(purchase)).toEqual(KEYS);
    expect(Object.keys(purchase.deal)).toEqual(['id', 'deal_id', 'title', 'type', 'image_url', 'image_url_abs']);
    expect(purchase).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      purchase_id: purchase.id,
      deal_type: 'on-going',
      deal_id: 'plain',
      price: 1050,
      amount: 3150,
      number_bought: 3,
      payment_state: 'pending',
      fulfillment_state: 'reserved',
      created_at: expect.stringMatching(SPOKEN),
      user_id: null,
      credit_card_id: null,
      deal: {
        id: 'plain',
        deal_id: 'plain',
        title: 'Plain',
        type: 'on-going',
        image_url: '/p.jpg?size=medium',
        image_url_abs: `${service.url}/p.jpg?size=medium`,
      },
      coupons: [],
    });
    expect((await get(purchase.id)).body).toEqual(body);
    expect((await service.ask('GET', `/purchases/${purchase.id}.json`, { key: acme.key })).body).toEqual(body);
  });

  it('2.5.7, 3.2.2, 4.6.6, 2.5, 3.2, 4.6, B6: a claim makes it charged and fulfilled, the user’s, with one coupon for each unit', async () => {
    const held = await reserve(service, acme.key, 'plain', 2);
    const answer = await claims(held.id, ann);
    const { purchase } = answer.body;
    expect(Object.keys(purchase)).toEqual(KEYS);
    expect(purchase).toEqual({
      ...held,
      payment_state: 'charged',
      fulfillment_state: 'fulfilled',
      user_id: ann,
      coupons: [expect.objectContaining({ state: 'valid' }), expect.objectContaining({ state: 'valid' })],
    });
    expect(new Set(purchase.coupons.map(({ id }: Json) => id)).size).toBe(2);
    expect((await get(held.id)).text).toBe(answer.text);
  });

  it('3.2.3, 4.6.7, 3.2, 4.6, B6, D4: a release returns the units, and a repeated release returns the same', async () => {
    await service.newDeal('back', { stock: 2 });
    const held = await reserve(service, acme.key, 'back', 2);
    expect(await left('back')).toBe(0);
    const answer = await releases(held.id);
    expect(answer.body).toEqual({ status: 'success', purchase: { ...held, fulfillment_state: 'released' } });
    expect(await left('back')).toBe(2);
    const again = await releases(held.id);
    expect([again.status, again.text]).toEqual([200, answer.text]);
    expect(again.headers['holdfast-position']).toBeUndefined();
    expect((await get(held.id)).text).toBe(answer.text);
  });

  it('D2: a header says when a hold ends, as long as it is held, and a repeat of the call has it too', async () => {
    const before = await timeOf(service);
    const headers = { 'idempotency-key': 'a hold' };
    const body = { deal_id: 'plain', num_bought: 1 };
    const held = await service.ask('POST', '/purchases/reserve', { key: acme.key, body, headers });
    const ends = held.headers['holdfast-expires-at'] ?? '';
    expect(ends).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(ends) - HOLD).toBeGreaterThanOrEqual(before);
    expect(Date.parse(ends) - HOLD).toBeLessThanOrEqual(await timeOf(service));
    const { id } = held.body.purchase;
    expect((await get(id)).headers['holdfast-expires-at']).toBe(ends);
    const again = await service.ask('POST', '/purchases/reserve', { key: acme.key, body, headers });
    expect([again.text, again.headers['holdfast-expires-at']]).toEqual([held.text, ends]);
    for (const answer of [await releases(id), await get(id), await claims(id, ann)]) {
      expect([answer.status, answer.headers['holdfast-expires-at']]).toEqual([200, undefined]);
    }
  });

  it('D4: a claimed reservation cannot be released', async () => {
    const { id } = await buy(service, acme.key, 'plain', ann);
    const answer = await releases(id);
    expect([answer.status, answer.text]).toEqual([422, refused('the reservation was claimed: its units are sold')]);
    expect((await get(id)).body.purchase.fulfillment_state).toBe('fulfilled');
  });

  it('D2, D1, 8: a buyer takes at least one unit, and at most what is left, what one user may have, and 1000', async () => {
    await service.newDeal('bounded', { stock: 5, max_per_user: 3 });
    await service.newDeal('single', { stock: 5, max_per_user: 1 });
    await service.newDeal('wide', { stock: null });
    for (const [deal, quantity, message] of [
      ['bounded', 0, 'at least one unit must be bought'],
      ['bounded', -1, 'at least one unit must be bought'],
      ['bounded', '-2', 'at least one unit must be bought'],
      ['bounded', 4, 'one buyer may buy at most 3 units'],
      ['single', 2, 'one buyer may buy at most 1 unit'],
      ['wide', 1001, 'one buyer may buy at most 1000 units'],
    ] as const) {
      const answer = await reserves(deal, quantity);
      expect([answer.status, answer.text]).toEqual([422, refused(message)]);
    }
    expect((await reserves('wide', 1000)).status).toBe(200);
    expect((await reserves('bounded', 3)).status).toBe(200);
    expect((await reserves('bounded', 3)).text).toBe(refused('not enough units are left: 2 available'));
    expect((await reserves('bounded', '2')).status).toBe(200);
    expect((await reserves('bounded', 1)).text).toBe(refused('not enough units are left: none available'));
    expect(await left('bounded')).toBe(0);
  });

  it('8.3, D2, 8: a hold has a deadline exactly 300 seconds after its reservation', async () => {
    const { id } = await reserve(service, acme.key, 'plain');
    const history = await service.ask('GET', `/auditors/purchases/${id}/history`, { token: service.auditorToken });
    const placed = history.body.events.find(({ type }: Json) => type === 'reservation-placed.v1');
    expect(Date.parse(placed.data.deadline) - Date.parse(placed.data.created_at)).toBe(HOLD);
    expect(Date.parse(placed.data.created_at)).toBe(Date.parse(placed.time));
  });

  it('8.3, 3.2.4, D1, D2, 3.2, B6: a hold counts until its deadline, and not from then on', async () => {
    await service.newDeal('hot', { stock: 2 });
    const before = await timeOf(service);
    const held = await reserve(service, acme.key, 'hot', 2);
    const after = await timeOf(service);
    await moveTo(service, before + HOLD - 30_000);
    expect((await reserves('hot', 1)).text).toBe(refused('not enough units are left: none available'));
    expect((await get(held.id)).body.purchase.fulfillment_state).toBe('reserved');
    await moveTo(service, after + HOLD);
    expect((await reserves('hot', 2)).status).toBe(200);
    expect((await get(held.id)).body.purchase).toEqual({ ...held, fulfillment_state: 'released' });
    const answer = await releases(held.id);
    expect(answer.body.purchase).toEqual({ ...held, fulfillment_state: 'released' });
    expect(await left('hot')).toBe(0);
  });

  it('D3: a repeated claim by the same user returns the present purchase; by another user it is refused', async () => {
    const { id } = await reserve(service, acme.key, 'plain', 2);
    const first = await claims(id, ann);
    expect((await claims(id, ann)).text).toBe(first.text);
    await put(`/coupons/${first.body.purchase.coupons[1].id}/redeem`);
    const later = await claims(id, ann);
    expect(later.body.purchase.coupons.map(({ state }: Json) => state)).toEqual(['valid', 'redeemed']);
    const other = await claims(id, bob);
    expect([other.status, other.text]).toEqual([422, refused('the reservation was claimed for another user')]);
  });

  it('3.2.2, D3, 3.2: a claim after the end of the hold takes fresh units, or is refused when none are left', async () => {
    await service.newDeal('gone', { stock: 3 });
    const expired = await reserve(service, acme.key, 'gone', 2);
    await service.forward(301);
    const released = await reserve(service, acme.key, 'gone', 1);
    await releases(released.id);
    const answer = await claims(expired.id, ann);
    expect(answer.body.purchase).toMatchObject({
      payment_state: 'charged',
      amount: 2000,
      created_at: expired.created_at,
    });
    expect((await claims(released.id, bob)).body.purchase.fulfillment_state).toBe('fulfilled');
    expect(await left('gone')).toBe(0);
    const late = await service.newDeal('late', { stock: 1 }).then(() => reserve(service, acme.key, 'late'));
    await service.forward(301);
    await buy(service, acme.key, 'late', bob);
    const lost = await claims(late.id, ann);
    expect([lost.status, lost.text]).toEqual([422, refused('not enough units are left: none available')]);
    expect((await get(late.id)).body.purchase.fulfillment_state).toBe('released');
  });

  it("D3: the price is the reservation's, for a living hold and for fresh units", async () => {
    await service.newDeal('priced', { current_price: 1000 });
    const living = await reserve(service, acme.key, 'priced', 2);
    const dead = await reserve(service, acme.key, 'priced', 2);
    await releases(dead.id);
    await service.operate('PUT', '/deals/priced', { current_price: 1500, title: 'New title' });
    for (const { id } of [living, dead]) {
      expect((await claims(id, ann)).body.purchase).toMatchObject({ price: 1000, amount: 2000 });
    }
    expect(await reserve(service, acme.key, 'priced')).toMatchObject({ price: 1500, deal: { title: 'New title' } });
  });

  it.each(['paused', 'cancelled', 'deleted', 'landed'])(
    'D3, C1: a living hold can be claimed after the deal was %s; a dead one cannot',
    async (state) => {
      const slug = `was-${state}`;
      const now = await timeOf(service);
      await service.newDeal(slug, state === 'landed' ? { end_at: new Date(now + 200_000).toISOString() } : {});
      const living = await reserve(service, acme.key, slug);
      const dead = await reserve(service, acme.key, slug);
      await releases(dead.id);
      if (state === 'landed') await service.forward(210);
      else await service.operate('POST', `/deals/${slug}/transitions`, { to: state });
      expect((await claims(living.id, ann)).status).toBe(200);
      const why = state === 'landed' ? /: it ended at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ : RegExp(`: it is ${state}$`);
      expect((await claims(dead.id, ann)).body.error_msg).toMatch(why);
    },
  );

  it('D1, D3: a user’s max_per_user counts over all their purchases, and a refused claim leaves the hold for another', async () => {
    await service.newDeal('capped', { stock: 10, max_per_user: 2 });
    await buy(service, acme.key, 'capped', ann, 1);
    const two = await reserve(service, acme.key, 'capped', 2);
    const answer = await claims(two.id, ann);
    expect([answer.status, answer.text]).toEqual([422, refused('the user may buy at most 2 units, and has 1 already')]);
    expect((await get(two.id)).body.purchase.fulfillment_state).toBe('reserved');
    expect((await claims(two.id, bob)).status).toBe(200);
    await buy(service, acme.key, 'capped', ann, 1);
    const one = await reserve(service, acme.key, 'capped', 1);
    expect((await claims(one.id, ann)).status).toBe(422);
    await releases(one.id);
    expect((await claims(one.id, ann)).text).toBe(refused('the user may buy at most 2 units, and has 2 already'));
  });

  it('D1: exactly as many of forty buyers at once get a unit as there are units', async () => {
    await service.newDeal('rush', { stock: 7 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => reserves('rush', 1)));
    const held = answers.filter(({ status }) => status === 200);
    expect(held).toHaveLength(7);
    expect(answers.filter(({ text }) => text === refused('not enough units are left: none available'))).toHaveLength(
      33,
    );
    const sold = await Promise.all(held.map(({ body }) => claims(body.purchase.id, ann)));
    expect(sold.every(({ status }) => status === 200)).toBe(true);
    expect((await service.look('/deals/rush', acme.key)).body.deal).toMatchObject({ num_left: 0, number_sold: 7 });
  });

  it('D1, G4: stock counts all units ever, and cannot be set below those held and sold', async () => {
    await service.newDeal('stocked', { stock: 5 });
    await buy(service, acme.key, 'stocked', ann, 2);
    const held = await reserve(service, acme.key, 'stocked', 2);
    const set = (units: unknown): Promise<Answer> =>
      service.ask('PUT', '/operators/deals/stocked/stock', { token: service.operatorToken, body: { units } });
    const tooFew = await set(3);
    expect([tooFew.status, tooFew.body.errors]).toEqual([
      422,
      [
        JSON.parse(
          fault('invalid', 'is less than what is held and sold', 'units', 'deal', '2 units are held, and 2 are sold'),
        ),
      ],
    ]);
    expect((await set(4)).body.stock).toEqual({ stock: 4, held: 2, sold: 2 });
    expect((await reserves('stocked', 1)).status).toBe(422);
    await service.forward(301);
    expect((await set(2)).body.stock).toEqual({ stock: 2, held: 0, sold: 2 });
    expect((await claims(held.id, bob)).text).toBe(refused('not enough units are left: none available'));
    expect((await set(null)).body.stock).toEqual({ stock: null, held: 0, sold: 2 });
    expect((await claims(held.id, bob)).status).toBe(200);
    expect((await set(1)).status).toBe(422);
  });

  it('A8, 7.1, 4.6: an unknown deal in the body or reservation in the path is 404, an unknown user in the body is 422', async () => {
    const { id } = await reserve(service, acme.key, 'plain');
    for (const [answer, unknown] of [
      [await reserves('nothing', 1), NO_DEAL],
      [await claims('nothing', ann), NO_RESERVATION],
      [await releases('nothing'), NO_RESERVATION],
      [await get('nothing'), NO_PURCHASE],
      [await get('constructor'), NO_PURCHASE],
      [await releases('a%00b'), NO_RESERVATION],
      [await service.ask('GET', '/users/nobody/purchases', { key: acme.key }), NO_USER],
    ] as const) {
      expect([answer.status, answer.text]).toEqual([404, unknown]);
    }
    for (const user of ['nobody', '__proto__', '\u0000', 'x'.repeat(10_000)]) {
      const answer = await claims(id, user);
      expect([answer.status, answer.text]).toEqual([
        422,
        `{"status":"error","error_type":"validation_failed","error_msg":"validation failed","errors":[${fault('not_found', 'not found', 'user_id', 'user')}]}`,
      ]);
    }
  });

  it('4.6.8, 4.6, 4.1, A10: a list shows a user’s purchases, newest first, in pages', async () => {
    const cid = await service.newUser(acme.key, 'cid@example.com');
    const bought: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      bought.unshift((await buy(service, acme.key, 'plain', cid)).id);
      await service.forward(1);
    }
    const list = (query: string): Promise<Answer> =>
      service.ask('GET', `/users/${cid}/purchases${query}`, { key: acme.key });
    const ids = (answer: Answer): string[] => answer.body.purchases.map(({ id }: Json) => id);
    const all = await list('');
    expect(Object.keys(all.body)).toEqual(['status', 'purchases']);
    expect(ids(all)).toEqual(bought);
    expect(all.body.purchases[0]).toEqual((await get(bought[0] ?? '')).body.purchase);
    expect([...ids(await list('?per_page=2')), ...ids(await list('?per_page=2&page=2'))]).toEqual(bought.slice(0, 4));
    expect(ids(await list('?per_page=2&page=4'))).toEqual([]);
    expect((await list('?count=true&per_page=2')).text).toBe('{"status":"success","count":5}');
    expect((await list('?page=0&per_page=1001')).body.errors).toEqual([
      { type: 'invalid', message: 'must be an integer of at least 1', field: 'page', resource: 'purchase' },
      { type: 'invalid', message: 'must be an integer from 1 to 1000', field: 'per_page', resource: 'purchase' },
    ]);
    await reserve(service, acme.key, 'plain');
    expect(ids(await list(''))).toEqual(bought);
  });

  it('B1: created_at is spoken UTC', async () => {
    await moveTo(service, Date.parse('2031-05-04T03:02:01Z'));
    await service.newDeal('later');
    expect((await reserve(service, acme.key, 'later')).created_at).toMatch(/^Sun May 04 03:0\d:\d\d UTC 2031$/);
  });
});
