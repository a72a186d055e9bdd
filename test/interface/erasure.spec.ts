import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Canaries, findInFolder } from '../support/canaries.js';
import { cardOf } from '../support/cards.js';
import { buy } from '../support/buying.js';
import { mailsOf, untilMails } from '../support/outbox.js';
import {
  type Answer,
  type AskOptions,
  type Json,
  RunningService,
  type TestPartner,
} from '../support/running-service.js';

const CARD = '4539578763621486';

/** What is known of Grace, in forms that nothing else has. */
const GRACE: Canaries = {
  'her e-mail address': 'grace.q.hopper@navy.example',
  'her first name': 'Gracexyzzy',
  'her last name': 'Hopperplugh',
  'her birthday': '1906-12-09',
  'her street': '17 Amazingly Long Avenue',
  'her token': 'token-of-grace-81',
  'her card number': CARD,
  'a value of the partner': 'gold-plated-tier',
};

/** The buyer of a reseller. */
const BUYER: Canaries = { 'their first name': 'Zoëfrobozz', 'their last name': 'Buyerquux' };

describe('G12.1: an operator erases a person', () => {
  let service: RunningService;
  let acme: TestPartner;
  let grace: string;
  let other: string;
  let bought: Json;
  let resold: Json;
  let repeated: readonly (readonly [string, string, AskOptions])[];
  let erased: Answer;
  let linked: string;
  /** When Grace was known. */
  let asOf: string;

  const ask = (method: string, path: string, body?: object, options: AskOptions = {}): Promise<Answer> =>
    service.ask(method, path, { key: acme.key, ...(body !== undefined && { body }), ...options });
  const operated = (method: string, path: string, body?: object): Promise<Answer> =>
    service.ask(method, `/operators/${path}`, { token: service.operatorToken, ...(body && { body }) });
  const found = async (q: string): Promise<readonly string[]> =>
    (await operated('POST', 'find', { q })).body.found.map(({ kind }: Json) => kind);

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 10 });
    const region = { name: 'Boston', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 20 };
    await service.operate('PUT', '/regions/boston', region);
    const profile = {
      email: GRACE['her e-mail address'],
      first_name: GRACE['her first name'],
      last_name: GRACE['her last name'],
      birthday: GRACE['her birthday'],
      token: GRACE['her token'],
      partner_data: { tier: GRACE['a value of the partner'] },
    };
    const address = {
      name: 'G. Hopper',
      address_one: GRACE['her street'],
      city: 'Arlington',
      state: 'VA',
      postal_code: '22201',
      country: 'US',
    };
    const creating: AskOptions = { body: profile, headers: { 'idempotency-key': 'create' } };
    const made = async (path: string, options: AskOptions): Promise<Json> => {
      const answer = await service.ask('POST', path, { key: acme.key, ...options });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
      return answer.body;
    };
    grace = (await made('/users', creating)).user_id;
    const storing: AskOptions = {
      body: { user_id: grace, ...cardOf(CARD) },
      headers: { 'idempotency-key': 'card' },
    };
    const card = (await made('/credit_cards', storing)).credit_card_id;
    const sending: AskOptions = { body: { user_id: grace, ...address }, headers: { 'idempotency-key': 'address' } };
    await made('/shipping_addresses', sending);
    repeated = [
      ['POST', '/users', creating],
      ['POST', '/credit_cards', storing],
      ['POST', '/shipping_addresses', sending],
    ];
    bought = await made('/purchases', {
      body: { deal_id: 'lunch', quantity: 1, user_id: grace, credit_card_id: card, expected_price_per_unit: 1000 },
    });
    await made(`/users/${grace}/subscriptions`, { body: { zip: '02114' } });
    await service.newDeal('offer', { type: 'card-linked' });
    linked = (await made('/card_links', { body: { deal_id: 'offer', user_id: grace } })).card_link.id;
    await untilMails(service, 1);
    asOf = (await ask('GET', `/users/${grace}`)).headers['holdfast-as-of'] ?? '';
    expect(asOf).not.toBe('');
    other = await service.newUser(acme.key, 'other@example.com');
    await buy(service, acme.key, 'lunch', other);
    const { password } = await service.operate('POST', `/partners/${acme.id}/password`);
    const resale = {
      deal_id: 'lunch',
      quantity: 1,
      transaction_reference: 'order-1',
      transaction_date: '2027-01-31T12:00:00Z',
      transaction_amount: 900,
      first_name: BUYER['their first name'],
      last_name: BUYER['their last name'],
    };
    resold = (await service.ask('POST', '/api/v3/resellers/purchases', { basic: `acme:${password}`, body: resale }))
      .body;
    expect(resold.id).toBeDefined();
  });
  afterAll(() => service.discard());

  it('and not without a reason, and nobody whom nobody knows', async () => {
    expect((await operated('POST', `users/${grace}/erase`)).status).toBe(422);
    expect((await operated('POST', `users/${grace}/erase`, { reason: '' })).status).toBe(422);
    expect((await operated('POST', `users/${bought.purchase.id}/erase`, { reason: 'x' })).status).toBe(404);
    expect((await operated('POST', `purchases/${grace}/erase`, { reason: 'x' })).status).toBe(404);
    const ofUser = await operated('POST', `purchases/${bought.purchase.id}/erase`, { reason: 'x' });
    expect([ofUser.status, ofUser.body.error_msg]).toEqual([422, `the buyer is the user ${grace}: erase the user`]);
    expect(await found('grace.q.hopper@navy.example')).toEqual(['user']);
    expect(await found('1486')).toEqual(expect.arrayContaining(['credit_card', 'purchase']));
  });

  it('and gets the same answer again', async () => {
    erased = await operated('POST', `users/${grace}/erase`, { reason: 'they asked for it' });
    expect(erased.body).toMatchObject({ status: 'success', user_id: grace, reason: 'they asked for it' });
    const again = await operated('POST', `users/${grace}/erase`, { reason: 'another reason' });
    expect([again.status, again.text]).toEqual([200, erased.text]);
  });

  it('whom partners do not know any more', async () => {
    expect((await ask('GET', `/users/${grace}`)).status).toBe(404);
    expect((await ask('PUT', `/users/${grace}`, { firstname: 'Back' })).status).toBe(404);
    expect((await ask('GET', '/users?email=grace.q.hopper@navy.example')).body.users).toEqual([]);
    expect((await ask('POST', '/credit_cards', { user_id: grace, ...cardOf(CARD) })).status).toBe(422);
    expect((await ask('GET', `/credit_cards?user_id=${grace}`)).status).not.toBe(200);
    const spent = {
      transaction_amount: 4200,
      transaction_reference: 'till-7',
      transaction_date: '2026-01-31T12:00:00Z',
    };
    expect((await ask('PUT', `/card_links/${linked}/redeem`, spent)).status).toBe(404);
  });

  it('of whom `find` finds nothing, and whose page says when and why', async () => {
    expect(await found('grace.q.hopper@navy.example')).toEqual([]);
    expect(await found('1486')).toEqual([]);
    const page = await operated('GET', `users/${grace}`);
    expect([page.status, page.body.detail]).toEqual([
      404,
      `the user was erased at ${erased.body.erased_at}: they asked for it`,
    ]);
  });

  it('whose kept answers are gone, and whose requests are not carried out again', async () => {
    for (const [method, path, options] of repeated) {
      const answer = await service.ask(method, path, { key: acme.key, ...options });
      expect([answer.status, answer.body.error_msg]).toEqual([422, 'answered, and erased since']);
    }
  });

  it('H6: of whom an answer of then shows null, and says of how many persons', async () => {
    const then = await service.ask('GET', `/auditors/users/${grace}?as_of=${asOf}`, { token: service.auditorToken });
    expect([then.status, then.headers['holdfast-erased']]).toEqual([200, '1']);
    expect(then.body.user).toMatchObject({ id: grace, firstname: null, lastname: null });
    const now = await service.ask('GET', `/auditors/users/${grace}`, { token: service.auditorToken });
    expect(now.status).toBe(404);
    const others = await service.ask('GET', `/auditors/users/${other}`, { token: service.auditorToken });
    expect([others.status, others.headers['holdfast-erased']]).toEqual([200, undefined]);
  });

  it('whose purchase, units and money stay', async () => {
    const { body } = await operated('GET', `purchases/${bought.purchase.id}`);
    expect(body.purchase).toMatchObject({ payment_state: 'charged', user_id: grace, amount: bought.purchase.amount });
    const { body: deal } = await operated('GET', 'deals/lunch');
    expect(deal.units.sold).toBe(3);
    const history = await service.ask('GET', `/auditors/purchases/${bought.purchase.id}/history`, {
      token: service.auditorToken,
    });
    expect(history.body.events.map(({ type }: Json) => type)).toContain('purchase-buyer-erased.v1');
    const certificate = await service.ask('GET', '/auditors/deals/lunch/certificate', { token: service.auditorToken });
    expect(certificate.text).toContain('sound');
  });

  it('whose e-mail address is free for a new user', async () => {
    const id = await service.newUser(acme.key, 'grace.q.hopper@navy.example', { first_name: 'New' });
    expect(id).not.toBe(grace);
    expect(await found('grace.q.hopper@navy.example')).toEqual(['user']);
    expect((await operated('POST', `users/${id}/erase`, { reason: 'again' })).status).toBe(200);
  });

  it('who has bought from a reseller', async () => {
    const answer = await operated('POST', `purchases/${resold.id}/erase`, { reason: 'they asked for it' });
    expect(answer.body).toMatchObject({ status: 'success', purchase_id: resold.id });
    const again = await operated('POST', `purchases/${resold.id}/erase`, { reason: 'x' });
    expect(again.text).toBe(answer.text);
    expect((await operated('GET', `purchases/${resold.id}`)).status).toBe(200);
  });

  it('H10: writes a line outside the data folder for each, without a name', () => {
    const lines = readFileSync(`${service.dataDir}.erasures`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line): Json => JSON.parse(line));
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3]);
    for (const { person, position } of lines) {
      expect(person).toMatch(/^[0-9a-f]{32}$/);
      expect(person).not.toBe(grace);
      expect(Number(position)).toBeGreaterThan(0);
    }
  });

  it('and leaves no trace of them in the folder, also after a restart', async () => {
    expect(mailsOf(service).size).toBe(0);
    const canaries = { ...GRACE, ...BUYER };
    expect(findInFolder(service.dataDir, canaries)).toEqual([]);
    await service.stop();
    expect(findInFolder(service.dataDir, canaries)).toEqual([]);
    service = await RunningService.start({ dataDir: service.dataDir });
    expect(findInFolder(service.dataDir, canaries)).toEqual([]);
    expect(existsSync(`${service.dataDir}.erasures`)).toBe(true);
    expect((await operated('POST', `users/${grace}/erase`, { reason: 'x' })).text).toBe(erased.text);
    expect((await ask('GET', `/users/${other}`)).status).toBe(200);
  });
});
