import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeCard } from '../support/cards.js';
import { eventsOf } from '../support/data-folder.js';
import { NO_USER, unableToFind, validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const entry = (
  type: string,
  message: string,
  field: string,
  resource = 'shipping_address',
  detail?: string,
): object => ({ type, message, field, resource, ...(detail !== undefined && { detail }) });
const missing = (field: string): object => entry('missing_field', 'is missing', field);
const invalid = (field: string, message: string): object => entry('invalid', message, field);

describe('shipping addresses', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    ann = await service.newUser(acme.key, 'ann@example.com');
  });
  afterAll(() => service.discard());

  const MAIN_STREET = {
    address_one: '1 Main Street',
    postal_code: 2114,
    city: ' Boston ',
    state: 'ma',
    country: 'us',
  };
  const store = (body: object, key = acme.key): Promise<Answer> =>
    service.ask('POST', '/shipping_addresses', { key, body });
  const list = (user: string, query = '', key = acme.key): Promise<Answer> =>
    service.ask('GET', `/users/${user}/shipping_addresses${query}`, { key });
  const ids = (answer: Answer): string[] => answer.body.shipping_addresses.map(({ id }: Json) => id);

  it('D13, A9: are stored for a user and listed, newest first', async () => {
    expect((await list(ann)).text).toBe('{"status":"success","shipping_addresses":[]}');
    const first = await store({ user_id: ann, ...MAIN_STREET });
    expect([first.status, Object.keys(first.body)]).toEqual([200, ['status', 'shipping_address_id']]);
    const id = first.body.shipping_address_id;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    await service.forward(1);
    const second = await store({ user_id: ann, name: 'Ann Lee', address_two: 'Suite 7', ...MAIN_STREET });
    expect((await list(ann)).text).toBe(
      JSON.stringify({
        status: 'success',
        shipping_addresses: [
          {
            id: second.body.shipping_address_id,
            shipping_address_id: second.body.shipping_address_id,
            name: 'Ann Lee',
            address_one: '1 Main Street',
            address_two: 'Suite 7',
            postal_code: '2114',
            city: 'Boston',
            state: 'MA',
            country: 'US',
          },
          {
            id,
            shipping_address_id: id,
            name: null,
            address_one: '1 Main Street',
            address_two: null,
            postal_code: '2114',
            city: 'Boston',
            state: 'MA',
            country: 'US',
          },
        ],
      }),
    );
  });

  it('D13, A11: repeated by the same user are one address, stored once; another user’s is another address', async () => {
    const bob = await service.newUser(acme.key, 'bob@example.com');
    const cid = await service.newUser(acme.key, 'cid@example.com');
    const answers = await Promise.all([
      store({ user_id: bob, ...MAIN_STREET }),
      store({ user_id: bob, ...MAIN_STREET, postal_code: '2114', city: 'Boston', state: 'MA', name: ' ' }),
      ...Array.from({ length: 10 }, () => store({ user_id: bob, ...MAIN_STREET })),
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await list(bob, '?count=true')).text).toBe('{"status":"success","count":1}');
    const other = await store({ user_id: cid, ...MAIN_STREET });
    expect(other.body.shipping_address_id).not.toBe(answers[0].body.shipping_address_id);
  });

  it('4.1, A10: are listed in pages without overlaps', async () => {
    const dan = await service.newUser(acme.key, 'dan@example.com');
    await Promise.all([1, 2, 3, 4, 5].map((n) => store({ user_id: dan, ...MAIN_STREET, address_one: `${n} Side St` })));
    const all = ids(await list(dan));
    expect(all).toHaveLength(5);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(dan, `?per_page=2&page=${page}`)));
    expect(pages.map((page) => ids(page))).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4), []]);
    const refused = await list(dan, '?per_page=0');
    expect([refused.status, refused.text]).toEqual([
      422,
      validationFailed(invalid('per_page', 'must be an integer from 1 to 1000')),
    ]);
  });

  it.each<readonly [object, ...object[]]>([
    [{}, ...['user_id', 'address_one', 'postal_code', 'city', 'state', 'country'].map(missing)],
    [{ ...MAIN_STREET, user_id: 'u', state: 'Massachusetts' }, invalid('state', 'must be two letters')],
    [{ ...MAIN_STREET, user_id: 'u', country: 'U1' }, invalid('country', 'must be two letters')],
    [{ ...MAIN_STREET, user_id: 'u', state: 'ß' }, invalid('state', 'must be two letters')],
    [{ ...MAIN_STREET, user_id: 'u', address_one: '  ' }, invalid('address_one', 'must not be blank')],
    [{ ...MAIN_STREET, user_id: 'u', name: [] }, invalid('name', 'must be text')],
    [{ ...MAIN_STREET, user_id: 'u', city: '' }, missing('city')],
  ])('7.2, A8, D13: %j is refused with the names of the fields', async (body, ...errors) => {
    const answer = await store(body);
    expect([answer.status, answer.text]).toEqual([422, validationFailed(...errors)]);
  });

  it('I13, A5, A8: one that is removed is in no list, and no new purchase ships to it; earlier ones keep it', async () => {
    const key = acme.key;
    const fay = await service.newUser(key, 'fay@example.com');
    const id: string = (await store({ user_id: fay, ...MAIN_STREET })).body.shipping_address_id;
    await service.newDeal('boots', { fulfillment_method: 'shipped', stock: null });
    const credit_card_id = await storeCard(service, key, fay);
    const body = { deal_id: 'boots', quantity: 1, user_id: fay, credit_card_id, shipping_address_id: id };
    const buy = (): Promise<Answer> => service.ask('POST', '/purchases/full', { key, body });
    const bought = (await buy()).body.purchase.id;
    const remove = (address = id, by = key): Promise<Answer> =>
      service.ask('DELETE', `/shipping_addresses/${address}`, { key: by });
    const unknown = unableToFind('you have no shipping address with this id');
    for (const refused of [await remove('0'.repeat(32)), await remove(id, rival.key), await remove('constructor')])
      expect([refused.status, refused.text]).toEqual([404, unknown]);
    expect(ids(await list(fay))).toEqual([id]);
    const removed = await remove();
    expect([removed.status, removed.text]).toEqual([200, '{"status":"success"}']);
    expect((await remove()).headers['holdfast-position']).toBeUndefined();
    expect(ids(await list(fay))).toEqual([]);
    expect((await list(fay, '?count=true')).body.count).toBe(0);
    const refused = await buy();
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [expect.objectContaining({ type: 'not_found', field: 'shipping_address_id', resource: 'shipping_address' })],
    ]);
    const opened = (await eventsOf(service.dataDir)).find(
      ({ stream, type }) => stream === `purchase-${bought}` && type === 'purchase-opened.v1',
    );
    expect(opened?.data).toMatchObject({ shipping_address_id: id });
    expect((await store({ user_id: fay, ...MAIN_STREET })).body.shipping_address_id).toBe(id);
    expect(ids(await list(fay))).toEqual([id]);
    expect((await buy()).status).toBe(200);
  });

  it('A5, A8, E1: an unknown user, a deleted one and another partner’s have none and get none', async () => {
    const eve = await service.newUser(acme.key, 'eve@example.com');
    await store({ user_id: eve, ...MAIN_STREET });
    await service.ask('PUT', `/users/${eve}`, { key: acme.key, body: { is_deleted: true } });
    for (const [user_id, key] of [
      ['nobody', acme.key],
      [eve, acme.key],
      [ann, rival.key],
    ] as const) {
      const refused = await store({ user_id, ...MAIN_STREET }, key);
      expect([refused.status, refused.text]).toEqual([
        422,
        validationFailed(entry('not_found', 'not found', 'user_id', 'user', 'you have no user with this id')),
      ]);
      const listed = await list(user_id, '', key);
      expect([listed.status, listed.text]).toEqual([404, NO_USER]);
    }
  });
});
