import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { GOOD_CARD, storeCard } from '../support/cards.js';
import { eventsOf } from '../support/data-folder.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

describe('G5.2: whatever somebody holds in their hand leads to what it names', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let user: string;
  let other: string;
  let bought: Json;
  let held: Json;
  let basic: string;

  beforeAll(async () => {
    service = await RunningService.start({ env: { GEOIP_FILE: '' } });
    [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    await service.newDeal('lunch', {
      stock: 10,
      merchant_id: 'harbor',
      redemption_code_pool: ['SPRING-1', 'SPRING-2'],
    });
    const profile = { first_name: 'Grace', last_name: 'Hopper', postal_code: '02114', partner_data: { tier: 'gold' } };
    user = await service.newUser(acme.key, 'grace@example.com', profile);
    other = await service.newUser(rival.key, 'grace@example.com');
    bought = await buy(service, acme.key, 'lunch', user);
    held = await reserve(service, acme.key, 'lunch');
    await service.newDeal('free', { stock: null });
    const { password } = await service.operate('POST', `/partners/${rival.id}/password`);
    basic = `rival:${password}`;
    await storeCard(service, acme.key, user, GOOD_CARD);
  });
  afterAll(() => service.discard());

  const find = (q: string, token = service.operatorToken): Promise<Answer> =>
    service.ask('POST', '/operators/find', { token, body: { q } });
  const namesOf = ({ body }: Answer): readonly string[] =>
    body.found.map(({ kind, matched, id }: Json) => `${kind} ${matched} ${id}`);
  const found = async (q: string): Promise<readonly string[]> => namesOf(await find(q));
  const readsOf = async (id: string): Promise<readonly Json[]> =>
    (await service.ask('GET', `/auditors/users/${id}/reads`, { token: service.auditorToken })).body.reads;

  it.each<[string, () => string, () => readonly string[]]>([
    ['a purchase', () => bought.id, () => [`purchase id ${bought.id}`, `stream id reservation-${bought.id}`]],
    ['a hold', () => held.id, () => [`purchase id ${held.id}`]],
    ['a coupon', () => bought.coupons[0].id, () => [`coupon id ${bought.coupons[0].id}`]],
    ['a coupon in capitals', () => bought.coupons[0].id.toUpperCase(), () => [`coupon id ${bought.coupons[0].id}`]],
    ['a barcode', () => bought.coupons[0].barcode, () => [`coupon barcode ${bought.coupons[0].id}`]],
    [
      'a barcode as it is printed',
      () => bought.coupons[0].barcode.replace(/(....)(....)/, '$1 $2-'),
      () => [`coupon barcode ${bought.coupons[0].id}`],
    ],
    ['a code', () => 'SPRING-1', () => [`coupon redemption_code ${bought.coupons[0].id}`]],
    [
      'a QR address',
      () => `${service.url}/C/${bought.coupons[0].id.toUpperCase()}`,
      () => [`coupon id ${bought.coupons[0].id}`],
    ],
    ['a deal', () => 'lunch', () => ['deal id lunch']],
    ['a merchant', () => 'harbor', () => ['deal merchant_id lunch']],
    ['a region', () => 'testland', () => ['region id testland']],
    ['a partner by slug', () => 'acme', () => [`partner slug ${acme.id}`]],
    ['a partner in capitals', () => 'ACME', () => [`partner slug ${acme.id}`]],
    ['a partner', () => acme.id, () => [`partner id ${acme.id}`]],
    ['a user', () => user, () => [`user id ${user}`]],
    ['a stream', () => 'deal-lunch', () => ['stream name deal-lunch']],
    ['an event', () => 'deal-lunch@0', () => ['event id deal-lunch@0']],
    ['an event that does not exist', () => 'deal-lunch@99', () => []],
    ['nothing', () => 'nothing like that', () => []],
    ['blanks around it', () => '  lunch ', () => ['deal id lunch']],
  ])('%s', async (_, q, expected) => {
    const names = await found(q());
    const wanted = expected();
    expect(names.slice(0, 1)).toEqual(wanted.slice(0, 1));
    for (const each of wanted) expect(names).toContain(each);
  });

  it.each(['2026-1001', '100 200', 'o@1', 'deal-x@3', '1234567890123', 'https://x.example/1', '1234 5678 9012 3456'])(
    'a reference in any form: %s',
    async (transaction_reference) => {
      const order = { transaction_date: '2026-01-31T12:00:00Z', transaction_amount: 900 };
      const body = {
        deal_id: 'free',
        quantity: 1,
        first_name: 'Zoë',
        last_name: 'Lee',
        transaction_reference,
        ...order,
      };
      const { status } = await service.ask('POST', '/api/v3/resellers/purchases', { basic, body });
      expect(status).toBe(200);
      expect(await found(transaction_reference)).toEqual([expect.stringMatching(/^purchase reference /)]);
    },
  );

  it('last four digits: cards', async () => {
    const [card] = (await find('4242')).body.found;
    expect(card).toMatchObject({ kind: 'credit_card', matched: 'last4', path: `/operators/users/${user}` });
  });

  it('the path of each result answers', async () => {
    for (const q of [
      bought.id,
      bought.coupons[0].id,
      user,
      'lunch',
      'testland',
      'acme',
      'deal-lunch',
      'deal-lunch@0',
      '4242',
    ]) {
      const answer = await find(q);
      expect(answer.body.found.length).toBeGreaterThan(0);
      for (const { path } of answer.body.found)
        expect([path, (await service.ask('GET', path, { token: service.operatorToken })).status]).toEqual([path, 200]);
    }
  });

  it('G7.9: an e-mail address: the users of all partners, without personal data, and the log notes each once a day', async () => {
    const before = (await eventsOf(service.dataDir)).filter(({ type }) => type === 'person-read.v1').length;
    const answer = await find('Grace@Example.com', service.auditorToken);
    expect(namesOf(answer).toSorted()).toEqual([`user email ${user}`, `user email ${other}`].toSorted());
    expect(answer.text).not.toMatch(/Grace|Hopper|race@/);
    await find('grace@example.com', service.auditorToken);
    const after = (await eventsOf(service.dataDir)).filter(({ type }) => type === 'person-read.v1').length;
    expect(after - before).toBe(2);
    expect(await readsOf(other)).toEqual([
      {
        revision: 0,
        reader: expect.stringMatching(/^auditor:/),
        day: expect.any(String),
        shown_by: 'find',
        time: expect.any(String),
      },
    ]);
    expect(await found('nobody@example.com')).toEqual([]);
  });

  it('G7.9: a person’s page shows what is known, and notes who has seen it', async () => {
    const page = await service.ask('GET', `/operators/users/${user}`, { token: service.operatorToken });
    expect(page.body).toMatchObject({
      partner_id: acme.id,
      user: { email: 'grace@example.com', first_name: 'Grace', postal_code: '02114', partner_data: { tier: 'gold' } },
      credit_cards: [{ last4: '4242', primary: true }],
      shipping_addresses: [],
    });
    const readers = (await readsOf(user)).map(({ reader }) => reader);
    expect(readers.filter((reader) => reader.startsWith('operator:'))).toHaveLength(1);
    expect((await service.ask('GET', '/operators/users/nobody', { token: service.operatorToken })).status).toBe(404);
    expect((await service.ask('GET', '/auditors/users/nobody/reads', { token: service.operatorToken })).status).toBe(
      404,
    );
  });

  it('lists note nothing', async () => {
    const before = (await eventsOf(service.dataDir)).length;
    for (const list of ['users', 'purchases', 'coupons', 'credit_cards', 'users?format=csv'])
      await service.ask('GET', `/operators/${list}`, { token: service.operatorToken });
    expect(await eventsOf(service.dataDir)).toHaveLength(before);
  });

  it('by GET: ids alone, because addresses stand in logs', async () => {
    const get = (q: string): Promise<Answer> =>
      service.ask('GET', `/operators/find?q=${encodeURIComponent(q)}`, { token: service.auditorToken });
    expect(namesOf(await get(bought.id))[0]).toBe(`purchase id ${bought.id}`);
    expect(namesOf(await get('SPRING-1'))).toEqual([]);
    expect((await get('grace@example.com')).body.errors[0]).toMatchObject({
      field: 'q',
      message: expect.stringContaining('send it in the body of POST /operators/find'),
    });
  });

  it('a whole card number is refused, and stays out of the log', async () => {
    for (const number of [
      '4242 4242 4242 4242',
      '4242.4242.4242.4242',
      '４２４２４２４２４２４２４２４２',
      '4242–4242–4242–4242 ',
    ]) {
      const { status, body, text } = await find(number);
      expect([number, status, body.errors[0].field]).toEqual([number, 422, 'q']);
      expect(text).not.toContain('4242 4242');
    }
    expect(service.printed).not.toContain('4242.4242');
    expect(await found(`https://else.example/C/${bought.coupons[0].id}`)).toEqual([]);
  });
});
