import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyFull, cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

// Fields that the interface names, and that no call of it uses: they are kept and shown, and change nothing.
describe('fields without an effect', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start({ env: { SIGNUP_CREDIT: '700' } });
    acme = await service.newPartner('acme');
    await service.newDeal('spa', { current_price: 1000, stock: 50 });
  });
  afterAll(() => service.discard());

  const get = async (path: string): Promise<Json> => (await service.look(path, acme.key)).body;
  const order = (user_id: string, more: Json = {}): Json => ({
    deal_id: 'spa',
    quantity: 1,
    user_id,
    credit_card: cardOf(GOOD_CARD),
    ...more,
  });
  const events = async (purchase: string): Promise<readonly Json[]> => {
    const path = `/auditors/purchases/${purchase}/history`;
    return (await service.ask('GET', path, { token: service.auditorToken })).body.events;
  };

  it('4.9.10: the credits of a user pay for nothing: who has more than the price is charged all of it', async () => {
    for (const credits of [undefined, 0, 1_000_000]) {
      const user = await service.newUser(acme.key, `credits-${credits}@example.org`, { credits });
      const bought: Answer = await buyFull(service, acme, order(user));
      expect(bought.body.purchase).toMatchObject({ price: 1000, amount: 1000, payment_state: 'charged' });
      const [charged] = (await events(bought.body.purchase.id)).filter(({ type }) => /^purchase-charged/.test(type));
      expect(JSON.stringify(charged.data)).toContain('"amount":1000');
      expect((await get(`/users/${user}`)).user).not.toHaveProperty('credits');
    }
  });

  it('2.7.2: the points of a user are shown and stay 0, whatever they buy, and no call sets them', async () => {
    const user = await service.newUser(acme.key, 'points@example.org', { points: 5 });
    const points = async (): Promise<number> => (await get(`/users/${user}`)).user.points;
    expect(await points()).toBe(0);
    await buyFull(service, acme, order(user));
    await service.ask('PUT', `/users/${user}`, { key: acme.key, body: { points: 9, first_name: 'Ann' } });
    expect((await get(`/users/${user}`)).user).toMatchObject({ firstname: 'Ann', points: 0 });
  });

  it('4.9.11, 4.6.9: a session is stored with the user and with the purchase, and changes neither', async () => {
    const without = (purchase: Json): Json => {
      const { id, purchase_id, created_at, coupons, ...same } = purchase;
      expect([id, purchase_id, created_at, coupons]).toHaveLength(4);
      return same;
    };
    const user = await service.newUser(acme.key, 'session@example.org', { session_id: 'affiliate-1' });
    expect(Object.keys((await get(`/users/${user}`)).user as object)).not.toContain('session_id');
    const full = await buyFull(service, acme, order(user, { session_id: 'affiliate-7' }));
    const { credit_card_id } = full.body.purchase;
    const stored = { deal_id: 'spa', quantity: 1, user_id: user, credit_card_id, expected_price_per_unit: 1000 };
    const sessions: Json[] = [];
    const answers: Json[] = [];
    for (const session_id of ['affiliate-8', undefined]) {
      const { body } = await service.ask('POST', '/purchases', { key: acme.key, body: { ...stored, session_id } });
      answers.push(without(body.purchase));
      for (const { data } of await events(body.purchase.id)) if ('session_id' in data) sessions.push(data.session_id);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(without(full.body.purchase)).toEqual(answers[0]);
    for (const { data } of await events(full.body.purchase.id))
      if ('session_id' in data) sessions.push(data.session_id);
    expect([...new Set(sessions)]).toEqual(['affiliate-8', null, 'affiliate-7']);
  });

  it('2.8.3: only its own call deletes a card: it shows false, whoever buys with it and whatever becomes of its user', async () => {
    const bought = await buyFull(service, acme, {
      deal_id: 'spa',
      quantity: 1,
      user: personOf('card@example.org'),
      credit_card: cardOf(GOOD_CARD),
    });
    const { user_id, credit_card_id } = bought.body.purchase;
    const change = (is_deleted: boolean): Promise<Answer> =>
      service.ask('PUT', `/users/${user_id}`, { key: acme.key, body: { is_deleted } });
    const flags = async (): Promise<readonly Json[]> =>
      ((await get(`/credit_cards?user_id=${user_id}`)).credit_cards as Json[]).map(({ id, deleted }) => [id, deleted]);
    expect(await flags()).toEqual([[credit_card_id, false]]);
    await service.ask('PUT', `/credit_cards/${credit_card_id}/default`, { key: acme.key, body: { deleted: true } });
    expect((await change(true)).status).toBe(200);
    expect((await change(false)).status).toBe(200);
    expect(await flags()).toEqual([[credit_card_id, false]]);
    expect((await buyFull(service, acme, { deal_id: 'spa', quantity: 1, user_id, credit_card_id })).status).toBe(200);
  });
});
