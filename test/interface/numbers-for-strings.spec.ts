import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timeOf } from '../support/buying.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

/** JSON texts of numbers that do not count as Strings. */
const OTHERS = ['8389766145050669870', '1.0', '1e3', '-0', '-9007199254740992'];
const WORDS = 'must be sent as a String';
const DAY = 86_400_000;

const faultsOf = ({ status, body }: Answer): readonly unknown[] => [
  status,
  ...(body.errors ?? [body]).map(({ type, resource, field, message, error_msg }: Json) =>
    resource === undefined ? error_msg : `${type} ${resource}.${field} ${message}`,
  ),
];

describe('I1: a JSON number for a String', () => {
  let service: RunningService;
  let acme: TestPartner;
  let basic: string;
  let ann: string;
  let tomorrow: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    basic = `acme:${(await service.operate('POST', `/partners/${acme.id}/password`)).password}`;
    ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('lunch', { stock: null });
    await service.newDeal('2024', { stock: null });
    const midnight = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY;
    tomorrow = new Date(midnight + DAY / 2).toISOString();
  });
  afterAll(() => service.discard());

  /** Sends a body, in which each `"<text>"` becomes that text without quotes. */
  const send = (method: string, path: string, body: object, options: AskOptions = { key: acme.key }): Promise<Answer> =>
    service.ask(method, path, {
      ...options,
      headers: { 'content-type': 'application/json', ...options.headers },
      body: JSON.stringify(body).replaceAll(/"<([^>]*)>"/g, '$1'),
    });
  const sale = (transaction_reference: string): object => ({
    deal_id: 'lunch',
    quantity: 1,
    transaction_reference,
    transaction_date: '2027-01-31T12:00:00Z',
    transaction_amount: 900,
    first_name: 'Grace',
    last_name: 'Hopper',
  });
  const resell = (body: object): Promise<Answer> => send('POST', '/api/v3/resellers/purchases', body, { basic });

  it('of a reseller is refused by name: two sales whose references are one as JavaScript numbers are not one sale', async () => {
    for (const reference of ['8389766145050669870', '8389766145050669871']) {
      expect(faultsOf(await resell(sale(`<${reference}>`)))).toEqual([
        422,
        `invalid purchase.transaction_reference ${WORDS}`,
      ]);
    }
    const [one, other] = [await resell(sale('8389766145050669870')), await resell(sale('8389766145050669871'))];
    expect([one.status, other.status, one.body.id === other.body.id]).toEqual([200, 200, false]);
    const { body } = await resell(sale('<9007199254740991>'));
    expect(body.transaction_reference).toBe('9007199254740991');
    // An address has a resource of its own (ruling D11).
    expect(faultsOf(await resell({ ...sale('o-1'), telephone: '<6175550100.0>', city: '<1e3>' }))).toEqual([
      422,
      `invalid shipping_address.city ${WORDS}`,
      `invalid shipping_address.telephone ${WORDS}`,
    ]);
  });

  it('A2: counts as its text if it is an integer that JSON keeps', async () => {
    expect((await send('POST', '/purchases/reserve', { deal_id: '<2024>', num_bought: '<1>' })).status).toBe(200);
  });

  it.each(OTHERS)('A8: is refused with the field and 422: %s', async (number) => {
    const it = `<${number}>`;
    const reserve = await send('POST', '/purchases/reserve', { deal_id: it, num_bought: 1 });
    expect(faultsOf(reserve)).toEqual([422, `invalid purchase.deal_id ${WORDS}`]);
    const card = { number: it, verification_value: it, month: it, year: it, zip_code: it };
    const password = { password: it, password_confirmation: it };
    const sections = {
      user: { email: it, first_name: it, ...password },
      credit_card: card,
      shipping_address: { address_one: it, postal_code: it, city: it, state: it, country: it },
    };
    const full = await send('POST', '/purchases/full', { deal_id: 'lunch', quantity: 1, session_id: it, ...sections });
    const ofFull = faultsOf(full);
    for (const field of [
      ...['user.email', 'user.password', 'user.first_name', 'purchase.session_id'],
      ...Object.keys(card).map((name) => `credit_card.${name}`),
      ...Object.keys(sections.shipping_address).map((name) => `shipping_address.${name}`),
    ])
      expect(ofFull).toContain(`invalid ${field} ${WORDS}`);
    expect(faultsOf(await send('POST', '/purchases', { deal_id: 'lunch', quantity: 1, user_id: it }))).toContain(
      `invalid user.user_id ${WORDS}`,
    );
    expect(faultsOf(await send('PUT', `/users/${ann}`, { token: it }))).toEqual([422, `invalid user.token ${WORDS}`]);
    const links = await send('POST', '/card_links', { user_id: ann, deal_ids: ['lunch', it] });
    expect(faultsOf(links)).toEqual([422, `invalid card_link.deal_ids ${WORDS}`]);
  });

  it('C3: is refused with 404 by lists of the first version, and B5: with 400 by those of the third', async () => {
    for (const number of OTHERS) {
      expect(faultsOf(await send('GET', '/v1/deals', { title: `<${number}>` }))).toEqual([404, `title ${WORDS}`]);
      const v3 = await send('GET', '/api/v3/deals', { fields: `<${number}>` }, { basic });
      expect([v3.status, v3.body.errors]).toEqual([400, { query_string: `fields= ${WORDS}` }]);
    }
    // Strings that are read as numbers take numbers.
    const near = { latitude: '<42.3601>', longitude: '<-71.05890>', radius: '<5e0>' };
    expect((await send('GET', '/v1/deals', near)).status).toBe(200);
    expect((await send('GET', '/deals/locate', near)).status).toBe(200);
  });

  it('F1 4.14.4: of a batch is refused with its own message; among the user ids it is dropped', async () => {
    const batch = { deal_id: 'lunch', mode: 'augment', send_at: tomorrow };
    const create = (more: object): Promise<Answer> =>
      send('POST', '/v1/targeted_email/batches', { ...batch, user_ids: [ann], ...more });
    expect(faultsOf(await create({ deal_id: '<1.0>' }))).toEqual([422, `invalid batch.deal_id ${WORDS}`]);
    expect(faultsOf(await create({ user_ids: ['<8389766145050669870>'] }))).toEqual([
      422,
      'invalid batch.user_ids are all invalid',
    ]);
    const made = await create({ user_ids: ['<8389766145050669870>', ann, '<1.5>'] });
    expect([made.status, made.body.batch.user_ids]).toEqual([201, [ann]]);
    const guarded = await send('DELETE', `/v1/targeted_email/batches/${made.body.batch.id}`, { deal_id: '<1e3>' });
    expect(faultsOf(guarded)).toEqual([422, `invalid batch.deal_id ${WORDS}`]);
  });

  it('G2 G4: is refused by operators’ calls and in the lines of an import', async () => {
    const operator = { token: service.operatorToken };
    const put = await send('PUT', '/operators/deals/lunch', { title: '<1.0>', tags: ['a', '<-0>'] }, operator);
    expect(faultsOf(put)).toEqual([422, `invalid deal.title ${WORDS}`, `invalid deal.tags ${WORDS}`]);
    const line = '{"kind":"partner","slug":"numbered","name":8389766145050669870}';
    const imported = await service.ask('POST', '/operators/import', {
      ...operator,
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${line}\n{"kind":"partner","slug":"twice","name":"a","name":"b"}`,
    });
    expect(imported.body.refused).toEqual([
      { line: 1, kind: 'partner', slug: 'numbered', reason: `name ${WORDS}` },
      { line: 2, reason: 'malformed JSON: an object has a name twice at column 45' },
    ]);
  });

  it('A2: a number that an Integer cannot hold exactly is refused, and so are decimals for cents', async () => {
    const reserve = (num_bought: string): Promise<Answer> =>
      send('POST', '/purchases/reserve', { deal_id: 'lunch', num_bought });
    for (const units of ['<1.00000000000000000001>', '<9007199254740993>', '1.00000000000000000001'])
      expect(faultsOf(await reserve(units))).toEqual([422, 'invalid purchase.num_bought must be an integer']);
    for (const units of ['<1.0>', '<1e0>', '1.0']) expect((await reserve(units)).status).toBe(200);
    expect(faultsOf(await resell({ ...sale('o-2'), transaction_amount: '<25.00>' }))).toEqual([
      422,
      'invalid purchase.transaction_amount must be an integer in cents, such as 2500',
    ]);
  });

  it('a partner’s own data keeps its numbers, or is refused by the name of the one that would change', async () => {
    const change = (partner_data: object): Promise<Answer> => send('PUT', `/users/${ann}`, { partner_data });
    expect(faultsOf(await change({ order: { id: '<8389766145050669870>' } }))).toEqual([
      422,
      `invalid user.partner_data.order.id ${WORDS}`,
    ]);
    expect((await change({ rate: '<0.250>', list: ['<1e3>', '<9007199254740991>'] })).status).toBe(200);
  });

  it('A11: is part of the request that an Idempotency-Key stands for', async () => {
    const reserve = (number: string): Promise<Answer> =>
      send(
        'POST',
        '/purchases/reserve',
        { deal_id: 'lunch', num_bought: 1, more: `<${number}>` },
        {
          key: acme.key,
          headers: { 'idempotency-key': 'numbers' },
        },
      );
    expect((await reserve('8389766145050669870')).status).toBe(200);
    expect((await reserve('8389766145050669870')).headers['idempotency-replayed']).toBe('true');
    expect((await reserve('8389766145050669871')).body.error_msg).toBe(
      'this Idempotency-Key was used for another request',
    );
  });

  it('A8: a body that names something twice is refused, because one of the values would be lost', async () => {
    const body = '{"deal_id":"lunch","num_bought":1,"num_bought":2}';
    const answer = await service.ask('POST', '/purchases/reserve', { key: acme.key, body });
    expect(faultsOf(answer)).toEqual([400, 'malformed JSON: an object has a name twice at line 1, column 35']);
  });
});
