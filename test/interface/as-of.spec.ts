import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AS_OF_FORM, askThen, different, recorded, type Recorded } from '../support/answered.js';
import { buy, claim, reserve } from '../support/buying.js';
import { buyFull, cardOf, GOOD_CARD } from '../support/cards.js';
import { orderOf, rebuild, untilState } from '../support/rebuilding.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('G7.1, G7.2, H6: what partners were answered', () => {
  let service: RunningService;
  let acme: TestPartner;
  let basic: string;
  let ann: string;
  const answers: Recorded[] = [];

  const look = async (path: string, then: string): Promise<void> => {
    const answer = await service.ask('GET', path, { key: acme.key });
    answers.push(recorded(`GET ${path}`, answer, then));
  };
  /** Looks at each thing as it is now. */
  const lookAll = async (things: Readonly<Record<string, readonly string[]>>): Promise<void> => {
    for (const id of things['purchases'] ?? []) await look(`/purchases/${id}`, `purchases/${id}`);
    for (const id of things['coupons'] ?? []) await look(`/coupons/${id}`, `coupons/${id}`);
    for (const id of things['deals'] ?? []) await look(`/v1/deals/${id}`, `deals/${id}`);
    for (const id of things['users'] ?? []) await look(`/users/${id}`, `users/${id}`);
  };
  const start = (env: Readonly<Record<string, string>> = {}): Promise<RunningService> =>
    RunningService.start({ env: { PUBLIC_URL: 'https://deals.example', ...env } });
  const then = (path: string, token = service.auditorToken): Promise<Answer> =>
    service.ask('GET', `/auditors/${path}`, { token });

  beforeAll(async () => {
    service = await start();
    acme = await service.newPartner('acme');
    basic = `acme:${(await service.operate('POST', `/partners/${acme.id}/password`)).password}`;
    ann = await service.newUser(acme.key, 'ann@example.com', { first_name: 'Ann' });
    await service.newDeal('spa', { stock: 40 });
    await service.newDeal('boat');
    await service.newDeal('offer', { type: 'card-linked' });
  });
  afterAll(() => service.discard());

  it('G7.1: every answer that shows a thing says as of when', async () => {
    for (const path of ['/v1/deals', '/v1/deals/spa', `/users/${ann}`, `/users/${ann}/purchases`, '/api/v1/regions']) {
      const answer = await service.ask('GET', path, { key: acme.key });
      expect([path, answer.status, answer.headers['holdfast-as-of']]).toEqual([
        path,
        200,
        expect.stringMatching(AS_OF_FORM),
      ]);
    }
    const refused = await service.ask('GET', '/v1/deals/none', { key: acme.key });
    expect([refused.status, refused.headers['holdfast-as-of']]).toEqual([404, undefined]);
  });

  it('G7.1: so does an answer to a call that changed nothing', async () => {
    const { key } = acme;
    const { id } = await reserve(service, key, 'spa');
    const card = { user_id: ann, ...cardOf(GOOD_CARD) };
    const boston = { name: 'Boston', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 50 };
    await service.operate('PUT', '/regions/boston', boston);
    const subscribed = await service.ask('POST', `/users/${ann}/subscriptions`, { key, body: { zip: '02114' } });
    const subscription = `/subscriptions/${subscribed.body.subscription.id}`;
    const calls = [
      ['PUT', `/purchases/${id}/release`, undefined],
      ['POST', '/saved_deals', { deal_id: 'spa', user_id: ann }],
      ['POST', '/credit_cards', card],
      ['PUT', subscription, { status: 'inactive', user_id: ann }],
    ] as const;
    for (const [method, path, body] of calls) {
      for (const time of ['first', 'again']) {
        const { status, headers } = await service.ask(method, path, { key, ...(body && { body }) });
        expect([path, time, status, headers['holdfast-as-of']]).toEqual([
          ...[path, time, 200],
          expect.stringMatching(AS_OF_FORM),
        ]);
      }
    }
    const { headers } = await service.ask('GET', subscription, { key });
    expect(headers['holdfast-as-of']).toMatch(AS_OF_FORM);
  });

  it('H6: a kept answer keeps what it showed', async () => {
    const send = () =>
      service.ask('POST', '/purchases/reserve', {
        key: acme.key,
        headers: { 'idempotency-key': 'once' },
        body: { deal_id: 'spa', num_bought: 1 },
      });
    const first = await send();
    await buy(service, acme.key, 'spa', ann);
    const again = await send();
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['holdfast-as-of']).toBe(first.headers['holdfast-as-of']);
  });

  it('G7.2: purchases, coupons, deals, users and card links are answered again, byte for byte', async () => {
    const { key } = acme;
    const held = await reserve(service, key, 'spa', 2);
    await lookAll({ purchases: [held.id], deals: ['spa'], users: [ann] });
    const sold = await claim(service, key, held.id, ann);
    const coupons = sold.coupons.map(({ id }: Json) => id);
    const things = { purchases: [held.id], coupons, deals: ['spa'], users: [ann] };
    await lookAll(things);
    await service.ask('PUT', `/coupons/${coupons[0]}/redeem`, { key });
    await lookAll(things);
    await service.operate('POST', `/coupons/${coupons[1]}/reissue`, { reason: 'lost' });
    await lookAll(things);
    const bought = await buyFull(service, acme, {
      ...{ deal_id: 'spa', quantity: 1, user_id: ann, credit_card: cardOf(GOOD_CARD) },
    });
    const { purchase } = bought.body;
    await lookAll({ purchases: [purchase.id], coupons: [purchase.coupons[0].id], deals: ['spa'] });
    await service.operate('POST', `/purchases/${purchase.id}/refund`, { reason: 'rain' });
    await lookAll({ purchases: [purchase.id], coupons: [purchase.coupons[0].id], deals: ['spa'] });
    await service.operate('PUT', '/deals/spa', { title: 'A night at the spa', current_price: 990 });
    await service.operate('PUT', '/regions/boston', { name: 'Greater Boston', time_zone: 'America/Chicago' });
    await service.ask('PUT', `/users/${ann}`, { key, body: { first_name: 'Anna' } });
    await lookAll(things);
    // Holds run out by the clock alone, and without an event if nobody looks.
    await reserve(service, key, 'spa', 3);
    await lookAll({ deals: ['spa'] });
    await service.forward(301);
    await lookAll({ deals: ['spa'], purchases: [held.id] });
    expect(await different(service, answers)).toEqual([]);
  });

  it('G7.2: so are resales, in the shape of resellers, and changes of card links', async () => {
    const { key } = acme;
    const order = {
      ...{ deal_id: 'spa', quantity: 2, transaction_reference: 'order-1', transaction_amount: 1_800 },
      ...{ transaction_date: new Date().toISOString(), first_name: 'Zoë', last_name: 'Lee' },
    };
    const resale = await service.ask('POST', '/api/v3/resellers/purchases', { basic, body: order });
    answers.push(recorded('resale', resale, `purchases/${resale.body.id}?shape=reseller`));
    const coupon = resale.body.coupons[0].id;
    const shown = () => service.ask('GET', `/api/v3/coupons/${coupon}`, { basic });
    answers.push(recorded('resold coupon', await shown(), `coupons/${coupon}?shape=reseller`));
    await service.ask('PUT', `/coupons/${coupon}/redeem`, { key });
    answers.push(recorded('resold coupon', await shown(), `coupons/${coupon}?shape=reseller`));
    const again = await service.ask('POST', '/api/v3/resellers/purchases', { basic, body: order });
    answers.push(recorded('resale again', again, `purchases/${resale.body.id}?shape=reseller`));
    const linked = await service.ask('POST', '/card_links', { key, body: { deal_id: 'offer', user_id: ann } });
    const link = linked.body.card_link.id;
    answers.push(recorded('link', linked, `card_links/${link}`));
    const unlinked = await service.ask('PUT', `/card_links/${link}/unlink`, { key });
    answers.push(recorded('unlink', unlinked, `card_links/${link}`));
    answers.push(
      recorded('relink', await service.ask('PUT', `/card_links/${link}/link`, { key }), `card_links/${link}`),
    );
    const same = await service.ask('POST', '/card_links', { key, body: { deal_id: 'offer', user_id: ann } });
    answers.push(recorded('link that exists', same, `card_links/${link}`));
    const v3 = await service.ask('GET', '/api/v3/deals?fields=id,title,price,num_left,region', { basic });
    const { deals } = v3.body;
    const [deal] = deals;
    const item = JSON.stringify(deal);
    const fields = 'fields=id,title,price,num_left,region';
    const asOf = String(v3.headers['holdfast-as-of']);
    answers.push({ call: 'v3 deals', then: `deals/${deal.id}?shape=v3&${fields}`, asOf, text: item });
    expect(await different(service, answers)).toEqual([]);
  });

  it('H6: after a rebuild too', async () => {
    for (const view of ['purchases', 'deal-listing']) {
      const number = await rebuild(service, view);
      await untilState(service, view, number, 'ready');
      expect(await orderOf(service, view, number, 'promote')).toBe(200);
    }
    expect(await different(service, answers)).toEqual([]);
  });

  it('H6: and after a restart at another public address, whose own answers name another form', async () => {
    const { dataDir } = service;
    await service.stop();
    service = await RunningService.start({ dataDir, env: { PUBLIC_URL: 'https://shop.example' } });
    await lookAll({ deals: ['spa'] });
    expect(answers.at(-1)?.text).toContain('https://shop.example');
    expect(answers.at(-1)?.asOf).toMatch(/~2$/);
    expect(await different(service, answers)).toEqual([]);
  });

  it('G7.2, I8: a coupon is named as its partner names it, in capitals or by its barcode', async () => {
    const { coupons } = await buy(service, acme.key, 'boat', ann);
    const [{ id, barcode }] = coupons;
    for (const named of [id.toUpperCase(), barcode]) {
      const answer = await service.ask('GET', `/coupons/${named}`, { key: acme.key });
      expect(await different(service, [recorded(named, answer, `coupons/${named}`)])).toEqual([]);
    }
  });

  it('G7.2: an instant alone means all events up to it', async () => {
    const { then: path = '', asOf = '', text } = answers.find(({ call }) => call === `GET /users/${ann}`) ?? {};
    const {
      status,
      text: found,
      headers,
    } = await askThen(service, { then: path, asOf: asOf.replace(/^\d+@|~\d+$/g, '') });
    expect([status, found, headers['holdfast-as-of']]).toEqual([200, text, undefined]);
    const before = await then(`users/${ann}?as_of=2020-01-01T00:00:00Z`);
    expect([before.status, before.body.detail]).toEqual([404, 'you have no user with this id']);
  });

  it('G7.2: without as_of it is now; operators may ask too', async () => {
    const now = await then('deals/spa', service.operatorToken);
    expect(now.body).toEqual((await service.ask('GET', '/v1/deals/spa', { key: acme.key })).body);
  });

  it.each([
    ['as_of=', /is missing/],
    ['as_of=4711', /must be the value of Holdfast-As-Of/],
    ['as_of=2026-01-01', /must be the value of Holdfast-As-Of/],
    ['as_of=1@2020-01-01T00:00:00.000Z', /must be the value of Holdfast-As-Of/],
    ['as_of=9000@2020-01-01T00:00:00.000Z~1', /a number that the log has not come to: 9000/],
    ['as_of=1@2020-01-01T00:00:00.000Z~9', /a form that answers have never had: 9/],
    ['as_of=1@2020-01-01T00:00:00.000Z~0', /a form that answers have never had: 0/],
    ['as_of=2999-01-01T00:00:00Z', /must not be in the future/],
    ['as_of=1@2999-01-01T00:00:00.000Z~1', /must not be in the future/],
    ['shape=reseller', /must be one of v1, v3/],
  ])('G7.2: refuses %s by name', async (query, message) => {
    const { status, body } = await then(`deals/spa?${query}`);
    expect([status, body.errors?.[0]?.field, body.errors?.[0]?.message]).toEqual([
      422,
      query.split('=')[0],
      expect.stringMatching(message),
    ]);
  });

  it('G7.2: no other call takes as_of for the present in silence', async () => {
    for (const [path, credential] of [
      ['/v1/deals/spa?as_of=1', { key: acme.key }],
      ['/auditors/deals/spa/ledger?as_of=1', { token: service.auditorToken }],
      ['/operators/deals?as_of=1', { token: service.operatorToken }],
    ] as const) {
      const { status, body } = await service.ask('GET', path, credential);
      expect([path, status, body.error_msg]).toEqual([path, 422, expect.stringMatching(/takes no as_of/)]);
    }
  });

  it('G7.9: who saw a person so is noted', async () => {
    await then(`users/${ann}`);
    const { body } = await then(`users/${ann}/reads`);
    expect(body.reads).toContainEqual(expect.objectContaining({ reader: 'auditor:auditor', shown_by: 'as_of' }));
  });
});
