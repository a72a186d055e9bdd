import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy } from '../support/buying.js';
import { storeCard } from '../support/cards.js';
import { untilMails } from '../support/outbox.js';
import {
  type Answer,
  type AskOptions,
  type Json,
  RunningService,
  type TestPartner,
} from '../support/running-service.js';

describe('G12.3: everything that is held about a user', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let grace: string;
  let other: string;
  let bought: Json;
  let exported: Json;
  let linked: string;

  const post = async (path: string, body: object): Promise<Json> => {
    const answer = await service.ask('POST', path, { key: acme.key, body });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const audit = (path: string): Promise<Answer> => service.ask('GET', path, { token: service.auditorToken });
  const own = (id: string, options: AskOptions = { key: acme.key }): Promise<Answer> =>
    service.ask('GET', `/users/${id}/export`, options);

  beforeAll(async () => {
    service = await RunningService.start();
    [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    await service.newDeal('lunch', { stock: 10 });
    await service.newDeal('offer', { type: 'card-linked' });
    const region = { name: 'Boston', time_zone: 'America/New_York', latitude: 42.36, longitude: -71.06, radius: 20 };
    await service.operate('PUT', '/regions/boston', region);
    const profile = { first_name: 'Grace', last_name: '<b>Hopper</b>', partner_data: { tier: 'gold' } };
    grace = await service.newUser(acme.key, 'grace@example.com', profile);
    other = await service.newUser(acme.key, 'other@example.com', { first_name: 'Otherwise' });
    const change = { email: 'hopper@example.com', first_name: 'Amazing' };
    await service.ask('PUT', `/users/${grace}`, { key: acme.key, body: change });
    const address = {
      name: 'G. H.',
      address_one: '17 Long Avenue',
      city: 'Arlington',
      state: 'VA',
      postal_code: '22201',
    };
    await post('/shipping_addresses', { user_id: grace, country: 'US', ...address });
    const credit_card_id = await storeCard(service, acme.key, grace);
    const order = { deal_id: 'lunch', quantity: 2, user_id: grace, credit_card_id, expected_price_per_unit: 1000 };
    bought = (await post('/purchases', order)).purchase;
    await buy(service, acme.key, 'lunch', other);
    await post('/saved_deals', { deal_id: 'lunch', user_id: grace });
    const link = (await post('/card_links', { deal_id: 'offer', user_id: grace })).card_link.id;
    const spent = {
      transaction_amount: 4200,
      transaction_reference: 'till-7',
      transaction_date: '2026-01-31T12:00:00Z',
    };
    const redeemed = await service.ask('PUT', `/card_links/${link}/redeem`, { key: acme.key, body: spent });
    expect([redeemed.status, redeemed.text]).toEqual([200, expect.any(String)]);
    linked = link;
    await post(`/users/${grace}/subscriptions`, { zip: '02114', source: 'footer' });
    await post(`/users/${grace}/access_tokens`, { expires_in: 600, scope: 'user', access: 'read' });
    await untilMails(service, 1);
  });
  afterAll(() => service.discard());

  it('is one file, with each part', async () => {
    const answer = await audit(`/operators/users/${grace}/export`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="user-${grace}.json"`);
    exported = answer.body;
    expect(exported.user).toMatchObject({ id: grace, email: 'hopper@example.com', first_name: 'Amazing' });
    expect(exported.partner_id).toBe(acme.id);
    expect(exported.shipping_addresses).toMatchObject([{ address_one: '17 Long Avenue', removed: false }]);
    expect(exported.credit_cards).toMatchObject([{ last4: '4242', primary: true }]);
    expect(exported.purchases).toMatchObject([{ id: bought.id, amount: 2000, state: 'fulfilled' }]);
    expect(exported.coupons).toHaveLength(2);
    expect(exported.saved_deals).toMatchObject([{ deal_id: 'lunch' }]);
    expect(exported.card_links).toMatchObject([{ deal_id: 'offer' }]);
    expect(exported.card_link_transactions).toMatchObject([
      { card_link_id: linked, reference: 'till-7', amount: 4200 },
    ]);
    expect(exported.subscriptions).toMatchObject([{ region_id: 'boston', zip: '02114', source: 'footer' }]);
    expect(exported.subscription_mails).toMatchObject([{ kind: 'confirmation', outcome: 'sent' }]);
    expect(exported.access_tokens).toMatchObject([{ scope: 'user', access: 'read' }]);
    expect(answer.text).not.toContain('Otherwise');
    expect(answer.text).not.toContain('4242424242424242');
  });

  it('has what was known of them before', () => {
    const emails = exported.profiles.map(({ email }: Json) => email);
    expect(emails[0]).toBe('grace@example.com');
    expect(emails.at(-1)).toBe('hopper@example.com');
    expect(exported.profiles[0]).toMatchObject({ first_name: 'Grace', partner_data: { tier: 'gold' } });
  });

  it('says who has read it', async () => {
    const reads = (await audit(`/auditors/users/${grace}/reads`)).body.reads;
    expect(reads).toMatchObject([{ shown_by: 'export' }]);
    expect(exported.reads).toHaveLength(1);
  });

  it('is a page for people, too', async () => {
    const { status, headers, text } = await audit(`/operators/users/${grace}/export?format=html`);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('17 Long Avenue');
    expect(text).not.toContain('<b>Hopper</b>');
    expect(text).toContain('This is the end of the page: it is whole.');
    expect(text.trimEnd().endsWith('</html>')).toBe(true);
  });

  it('is for their partner, and for no other one', async () => {
    const { status, body } = await own(grace);
    expect(status).toBe(200);
    expect(body.purchases).toEqual(exported.purchases);
    expect(body.reads.map(({ reader }: Json) => reader)).toContainEqual(expect.stringMatching(/^partner:acme\//));
    expect((await own(grace, { key: rival.key })).status).toBe(404);
    expect((await own('0'.repeat(32))).status).toBe(404);
    const hidden = await service.newUser(acme.key, 'hidden@example.com');
    await service.ask('PUT', `/users/${hidden}`, { key: acme.key, body: { is_deleted: true } });
    expect((await own(hidden)).body.user.email).toBe('hidden@example.com');
    expect((await audit(`/operators/users/${'0'.repeat(32)}/export`)).status).toBe(404);
    expect((await audit(`/operators/users/${grace}/export?format=pdf`)).status).toBe(422);
  });

  it('is of nobody who is erased', async () => {
    await service.operate('POST', `/users/${other}/erase`, { reason: 'asked' });
    expect((await own(other)).status).toBe(404);
    expect((await audit(`/operators/users/${other}/export`)).status).toBe(404);
  });

  it('names the mails of batches', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const made = await service.ask('POST', '/v1/targeted_email/batches', {
      key: acme.key,
      body: { deal_id: 'lunch', mode: 'suppress', user_ids: [grace], send_at: `${tomorrow}T12:00:00Z` },
    });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const planned = (await own(grace)).body;
    expect([planned.planned_mails, planned.batch_mails]).toMatchObject([[{ deal_id: 'lunch' }], []]);
    await service.forward(3 * 86_400);
    await untilMails(service, 2);
    for (let looks = 0; ; looks += 1) {
      const { batch_mails } = (await own(grace)).body;
      if (batch_mails[0]?.outcome === 'sent' || looks > 100) {
        expect(batch_mails).toMatchObject([{ outcome: 'sent', attempts: 1 }]);
        return;
      }
    }
  });
});
