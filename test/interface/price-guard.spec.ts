import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '#adapters/sandbox-gateway';
import { buyFull, cardOf, GOOD_CARD, personOf, storeCard } from '../support/cards.js';
import { OTHER_PRICE } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const priceHasChanged = (price: number): string => `"errors":[${OTHER_PRICE(price)}]}`;

describe('a price that an operator changes between the list and the purchase', () => {
  let service: RunningService;
  let acme: TestPartner;
  let known: { user_id: string; credit_card_id: string };

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    const user_id = await service.newUser(acme.key, 'ann@example.org');
    known = { user_id, credit_card_id: await storeCard(service, acme.key, user_id) };
  });
  afterAll(() => service.discard());

  const full = (body: Json): Promise<Answer> => buyFull(service, acme, body);
  const storedCard = (body: Json): Promise<Answer> => service.ask('POST', '/purchases', { key: acme.key, body });

  /** The price of a deal in the list of deals. */
  async function listed(slug: string): Promise<number> {
    const { body } = await service.look('/deals?region=testland', acme.key);
    return body.deals.find((deal: Json) => deal.id === slug).current_price;
  }

  it.each<[string, string, (body: Json) => Promise<Answer>, () => Json]>([
    ['POST /purchases', 'spa', storedCard, () => known],
    ['the full purchase', 'bike', full, () => known],
    [
      'the full purchase of a new user',
      'boat',
      full,
      () => ({ user: personOf('new@example.org'), credit_card: cardOf(GOOD_CARD) }),
    ],
  ])(
    'D5 4.6 4.6.1: makes %s with the old price fail without a charge, and with the new price succeed',
    async (...given) => {
      const [, deal_id, buy, buyer] = given;
      await service.newDeal(deal_id, { current_price: 1000 });
      const order = { deal_id, quantity: 2, ...buyer() };
      const seen = await listed(deal_id);
      await service.operate('PUT', `/deals/${deal_id}`, { current_price: 1250 });
      const ledger = (): readonly unknown[] => readLedger(join(service.dataDir, 'sandbox-gateway.jsonl'));
      const before = ledger().length;

      const refused = await buy({ ...order, expected_price_per_unit: seen });
      expect(refused.status).toBe(422);
      const { user_id, credit_card_id } = refused.body;
      expect(refused.text).toBe(
        '{"status":"error","error_type":"validation_failed","error_msg":"validation failed",' +
          `"user_id":"${user_id}","credit_card_id":"${credit_card_id}",${priceHasChanged(1250)}`,
      );
      expect(ledger()).toHaveLength(before);
      expect((await service.look(`/deals/${deal_id}`, acme.key)).body.deal).toMatchObject({ num_left: 100 });

      const bought = await buy({ ...order, expected_price_per_unit: await listed(deal_id) });
      expect(bought.body.purchase).toMatchObject({ user_id, credit_card_id, price: 1250, amount: 2500 });
      expect(ledger()).toHaveLength(before + 1);
    },
  );

  it('D5: does not affect a full purchase without an expected price; POST /purchases needs one', async () => {
    await service.newDeal('car', { current_price: 1000 });
    await service.operate('PUT', '/deals/car', { current_price: 900 });
    const order = { deal_id: 'car', quantity: 1, ...known };
    expect((await full(order)).body.purchase).toMatchObject({ price: 900, amount: 900 });
    const refused = await storedCard(order);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ type: 'missing_field', message: 'is missing', field: 'expected_price_per_unit', resource: 'purchase' }],
    ]);
  });
});
