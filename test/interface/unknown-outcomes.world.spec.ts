import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger, type LedgerLine } from '#adapters/sandbox-gateway';
import { buyFull, cardOf, GOOD_CARD, LOST_ANSWER_CARD, personOf, SILENT_CARD, storeCard } from '../support/cards.js';
import { eventsOf } from '../support/data-folder.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';
import { workDone } from '../support/work-done.js';

/** Milliseconds: a slow machine has charged a card by then. */
const TIMEOUT = 2_500;
/** Seconds: the work list takes over five seconds after the gateway's timeout. */
const TAKEOVER = 9;

describe('D7: while the outcome of a charge is unknown', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start({ env: { GATEWAY_TIMEOUT: String(TIMEOUT) } });
    acme = await service.newPartner('acme');
    await service.newDeal('spa', { stock: 9, max_per_user: 3 });
  });
  afterAll(() => service.discard());

  const buy = (email: string, number: string, more: Json = {}): Promise<Answer> =>
    buyFull(service, acme, {
      deal_id: 'spa',
      quantity: 1,
      user: personOf(email),
      credit_card: cardOf(number),
      ...more,
    });
  const show = async (id: string): Promise<Json> =>
    (await service.ask('GET', `/purchases/${id}`, { key: acme.key })).body.purchase;
  const ledgerOf = (id: string): LedgerLine[] =>
    readLedger(join(service.dataDir, 'sandbox-gateway.jsonl')).filter(({ key }) => key === id);
  const approved = (id: string): number =>
    ledgerOf(id).filter(({ kind, outcome }) => kind === 'charge' && outcome === 'approved').length;

  it.each([
    ['never came', SILENT_CARD, 0],
    ['was lost', LOST_ANSWER_CARD, 1],
  ])(
    'D8, B6: when an answer %s, the purchase is pending, its units count, and it is fulfilled once the outcome is known',
    async (_, number, taken) => {
      const before = (await service.look('/deals/spa', acme.key)).body.deal.num_left;
      const answer = await buy(`${number}@example.org`, number, { quantity: 2 });
      const { purchase } = answer.body;
      expect(answer.status).toBe(200);
      expect(purchase).toMatchObject({ payment_state: 'pending', fulfillment_state: 'pending', coupons: [] });
      expect(await show(purchase.id)).toEqual(purchase);
      expect((await service.look('/deals/spa', acme.key)).body.deal.num_left).toBe(before - 2);
      expect(approved(purchase.id)).toBe(taken);

      await service.forward(TAKEOVER);
      await workDone(service);
      const after = await show(purchase.id);
      expect(after).toMatchObject({ payment_state: 'charged', fulfillment_state: 'fulfilled', amount: 2000 });
      expect(after.coupons).toHaveLength(2);
      expect(approved(purchase.id)).toBe(1);
    },
  );

  it('7.1.2, 7.1, D6: another purchase by the same user and deal is 409, by another deal or user it is not', async () => {
    await service.newDeal('other', { stock: null });
    const { purchase } = (await buy('twice@example.org', SILENT_CARD)).body;
    const { user_id } = purchase;
    const again = await buy('TWICE@example.org', GOOD_CARD);
    const { credit_card_id } = again.body;
    expect([again.status, again.text]).toEqual([
      409,
      '{"status":"error","error_type":"already_charging","error_msg":"an existing purchase is still processing",' +
        `"user_id":"${user_id}","credit_card_id":"${credit_card_id}","purchase_id":"${purchase.id}",` +
        '"detail":"wait until GET /purchases/<purchase_id> shows it charged or declined"}',
    ]);
    expect((await buy('twice@example.org', GOOD_CARD, { deal_id: 'other' })).status).toBe(200);
    expect((await buy('somebody@example.org', GOOD_CARD)).status).toBe(200);
    await service.forward(TAKEOVER);
    await workDone(service);
    expect((await buy('twice@example.org', GOOD_CARD)).body.purchase.payment_state).toBe('charged');
  });

  it('A11: a repeat of the call gets its first answer, pending; the purchase itself shows the outcome', async () => {
    const user_id = await service.newUser(acme.key, 'repeats@example.org');
    const credit_card_id = await storeCard(service, acme.key, user_id, SILENT_CARD);
    const body = { deal_id: 'spa', quantity: 1, user_id, credit_card_id, expected_price_per_unit: 1000 };
    const send = (): Promise<Answer> =>
      service.ask('POST', '/purchases', { key: acme.key, body, headers: { 'idempotency-key': 'silent' } });
    const first = await send();
    expect(first.body.purchase).toMatchObject({ payment_state: 'pending', coupons: null });
    await service.forward(TAKEOVER);
    await workDone(service);
    expect((await send()).text).toBe(first.text);
    expect((await show(first.body.purchase.id)).payment_state).toBe('charged');
    expect(approved(first.body.purchase.id)).toBe(1);
  });

  it('I13: the number of a deleted card stays until its last open charge has its outcome', async () => {
    const user_id = await service.newUser(acme.key, 'leaves@example.org');
    const credit_card_id = await storeCard(service, acme.key, user_id, SILENT_CARD);
    await service.newDeal('farewell', { stock: null });
    const order = { deal_id: 'farewell', quantity: 1, user_id, credit_card_id, expected_price_per_unit: 1000 };
    const buy = (): Promise<Answer> => service.ask('POST', '/purchases', { key: acme.key, body: order });
    const { id } = (await buy()).body.purchase;
    expect((await service.ask('DELETE', `/credit_cards/${credit_card_id}`, { key: acme.key })).status).toBe(200);
    const refused = await buy();
    expect([refused.status, refused.body.errors[0].type]).toEqual([422, 'not_found']);
    await service.forward(TAKEOVER);
    await workDone(service);
    expect(await show(id)).toMatchObject({ payment_state: 'charged', fulfillment_state: 'fulfilled', credit_card_id });
    const told = (await eventsOf(service.dataDir))
      .filter(({ stream }) => [`wallet-${user_id}`, `purchase-${id}`].includes(stream))
      .map(({ type }) => type);
    expect(told).toEqual([
      'card-stored.v1',
      'purchase-opened.v1',
      'purchase-charge-lost.v1',
      'card-deleted.v1',
      'purchase-charged.v1',
      'card-number-destroyed.v1',
    ]);
  });

  it('a restart after a kill goes on, with the card from the vault and without its verification value', async () => {
    const { id } = (await buy('killed@example.org', SILENT_CARD)).body.purchase;
    await service.kill();
    service = await RunningService.start({ dataDir: service.dataDir, env: { GATEWAY_TIMEOUT: String(TIMEOUT) } });
    await service.forward(TAKEOVER);
    await workDone(service);
    expect(await show(id)).toMatchObject({ payment_state: 'charged', fulfillment_state: 'fulfilled' });
    expect(approved(id)).toBe(1);
  });
});
