import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, buy, moveTo, reserve, timeOf } from '../support/buying.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

const HOUR = 3_600_000;
const HOLD = 300_000;

describe('A5.1: the purchases of a partner', () => {
  let service: RunningService;
  let shop: TestPartner;
  let rival: TestPartner;
  let ann: string;
  let began: number;
  /** In the order in which they were made. */
  let sold: readonly string[];
  const named = { ranOut: '', resold: '', bought: '', later: '', held: '' };

  const resell = async (transaction_reference: string): Promise<string> => {
    const { username, password } = await service.operate('POST', `/partners/${shop.id}/password`);
    const body = {
      deal_id: 'spa',
      quantity: 2,
      transaction_reference,
      transaction_date: '2027-01-31T12:00:00Z',
      transaction_amount: 900,
      first_name: 'Grace',
      last_name: 'Hopper',
    };
    const basic = `${username}:${password}`;
    return (await service.ask('POST', '/api/v3/resellers/purchases', { basic, body })).body.id;
  };

  beforeAll(async () => {
    service = await RunningService.start({ env: { TIMERS: 'false' } });
    [shop, rival] = [await service.newPartner('shop'), await service.newPartner('rival')];
    for (const slug of ['spa', 'boat']) await service.newDeal(slug, { stock: null, max_per_user: null });
    ann = await service.newUser(rival.key, 'ann@example.com');
    const [bea, cy] = [
      await service.newUser(shop.key, 'bea@example.com'),
      await service.newUser(shop.key, 'cy@example.com'),
    ];
    began = await timeOf(service);
    named.ranOut = (await reserve(service, shop.key, 'boat')).id;
    await moveTo(service, began + HOUR);
    named.resold = await resell('order-1');
    await buy(service, rival.key, 'spa', ann);
    await moveTo(service, began + 2 * HOUR);
    named.bought = (await buy(service, shop.key, 'spa', bea)).id;
    await moveTo(service, began + 3 * HOUR);
    named.later = (await buy(service, shop.key, 'boat', cy)).id;
    await moveTo(service, began + 3 * HOUR + HOLD);
    named.held = (await reserve(service, shop.key, 'spa')).id;
    sold = Object.values(named);
  });
  afterAll(() => service.discard());

  const get = (path: string, options: AskOptions = { key: shop.key }): Promise<Answer> =>
    service.ask('GET', path, options);
  const ids = async (query = '', options?: AskOptions): Promise<string[]> => {
    const answer = await get(`/purchases?${query}`, options);
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.body.purchases.map(({ id }: Json) => id);
  };

  it('lists all that it has sold and holds, newest first, in the shape of one, and nothing of others', async () => {
    const { text, body } = await get('/purchases');
    expect(body.purchases.map(({ id }: Json) => id)).toEqual(sold.toReversed());
    const one = await Promise.all(sold.toReversed().map((id) => get(`/purchases/${id}`)));
    expect(text).toBe(`{"status":"success","purchases":${JSON.stringify(one.map((each) => each.body.purchase))}}`);
    expect((await get('/v1/purchases.json')).text).toBe(text);
    const theirs = (await get('/purchases', { key: rival.key })).body.purchases;
    expect(theirs.map(({ user_id }: Json) => user_id)).toEqual([ann]);
  });

  it('comes in pages, and as a number', async () => {
    expect(await ids('per_page=2')).toEqual(sold.toReversed().slice(0, 2));
    expect(await ids('per_page=2&page=3')).toEqual(sold.toReversed().slice(4));
    expect((await get('/purchases?count=true')).body).toEqual({ status: 'success', count: 5 });
    expect((await get('/purchases?count=true&deal_id=spa')).body.count).toBe(3);
  });

  it.each<[string, (keyof typeof named)[]]>([
    ['payment_state=pending', ['held', 'ranOut']],
    ['payment_state=charged', ['later', 'bought', 'resold']],
    ['payment_state=refunded', []],
    ['fulfillment_state=reserved', ['held']],
    ['fulfillment_state=released', ['ranOut']],
    ['fulfillment_state=fulfilled', ['later', 'bought', 'resold']],
    ['fulfillment_state=cancelled', []],
    ['fulfillment_state=reserved&payment_state=charged', []],
    ['fulfillment_state=reserved&payment_state=pending&deal_id=spa', ['held']],
    ['deal_id=boat', ['later', 'ranOut']],
    ['deal_id=boat&payment_state=charged', ['later']],
    ['deal_id=none', []],
    ['reference=order-1', ['resold']],
    ['reference=order-1&deal_id=boat', []],
    ['reference=order-2', []],
    ['deal_id=&reference=', ['held', 'later', 'bought', 'resold', 'ranOut']],
  ])('is narrowed by %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected.map((name) => named[name]));
  });

  it('is narrowed by times: both ends belong to them', async () => {
    const hour = (hours: number): string => encodeURIComponent(at(began + hours * HOUR));
    const times = (await Promise.all(sold.map((id) => get(`/purchases/${id}`)))).map(({ body }) =>
      Date.parse(body.purchase.created_at),
    );
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(await ids(`from=${hour(1)}&to=${hour(2.5)}`)).toEqual([named.bought, named.resold]);
    expect(await ids(`from=${hour(2.5)}`)).toEqual([named.held, named.later]);
    expect(await ids(`to=${hour(0.5)}&deal_id=boat`)).toEqual([named.ranOut]);
    expect(await ids(`from=${hour(2)}&to=${hour(1)}`)).toEqual([]);
  });

  it('a user’s list takes the same filters, with the key and with a token, which never shows more', async () => {
    const user = await service.newUser(shop.key, 'dan@example.com');
    const body = { expires_in: 600, scope: 'purchase', access: 'read' };
    const issued = await service.ask('POST', `/users/${user}/access_tokens`, { key: shop.key, body });
    const bearer = { token: issued.body.access_token.id };
    expect(await ids('', bearer)).toEqual([]);
    const [spa, boat] = [
      (await buy(service, shop.key, 'spa', user)).id,
      (await buy(service, shop.key, 'boat', user)).id,
    ];
    for (const [query, expected] of [
      ['', [boat, spa]],
      ['user_id=', [boat, spa]],
      ['deal_id=spa', [spa]],
      ['payment_state=pending', []],
      ['fulfillment_state=fulfilled&deal_id=boat', [boat]],
      ['reference=order-1', []],
      [`to=${at(began)}`, []],
    ] as const) {
      expect(await ids(query, bearer)).toEqual(expected);
      if (query !== 'user_id=') expect(await ids(`user_id=${user}&${query}`)).toEqual(expected);
      const inPath = await get(`/users/${user}/purchases?${query}`);
      expect(inPath.body.purchases.map(({ id }: Json) => id)).toEqual(expected);
    }
  });

  it('another partner’s user is an unknown one, and a blank one nobody', async () => {
    const [theirs, unknown] = await Promise.all([ann, '0'.repeat(32)].map((id) => get(`/purchases?user_id=${id}`)));
    expect([theirs?.status, theirs?.text]).toEqual([422, unknown?.text]);
    const blank = await get('/purchases?user_id=');
    expect([blank.status, blank.body.errors]).toEqual([
      422,
      [{ type: 'missing_field', message: 'is missing', field: 'user_id', resource: 'purchase' }],
    ]);
  });

  it('names every parameter that is wrong', async () => {
    const wrong = 'from=now&to=2027-02-30&payment_state=paid&fulfillment_state=sold&deal_id[]=a&reference[]=b&page=0';
    const { status, body } = await get(`/purchases?${wrong}`);
    expect(status).toBe(422);
    expect(body.errors.map(({ type, field, resource }: Json) => `${type} ${resource}.${field}`)).toEqual(
      ['page', 'from', 'to', 'payment_state', 'fulfillment_state', 'deal_id', 'reference'].map(
        (field) => `invalid purchase.${field}`,
      ),
    );
  });
});
