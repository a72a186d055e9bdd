import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyFull, cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { reserve } from '../support/buying.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';

/** The most units of a purchase. */
const UNITS = 1_000;
const codesOf = (name: string): string[] => Array.from({ length: UNITS }, (_, n) => `${name}-${n}-`.padEnd(100, '€'));

// Codes once had no limit: the service then refused to claim a hold for its size, after the partner had been paid.
describe('a sale of the most units, each with the longest code, in a deal with the longest texts', () => {
  let service: RunningService;
  let acme: TestPartner;
  const refused = async (slug: string, code: string): Promise<Json> => {
    const body = { redemption_code_pool: ['short', code] };
    const { status, body: answer } = await service.ask('PUT', `/operators/deals/${slug}`, {
      token: service.operatorToken,
      body,
    });
    return [status, answer.errors?.[0]?.field, answer.errors?.[0]?.message];
  };
  const codesIn = (purchase: Json): string[] =>
    purchase.coupons.map(({ redemption_code }: Json) => redemption_code as string).sort();

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    for (const slug of ['held', 'bought']) {
      await service.newDeal(slug, {
        title: '€'.repeat(1_000),
        image: `/${'é'.repeat(1_999)}`,
        stock: null,
        fulfillment_method: 'redemptioncoded',
        redemption_code_pool: codesOf(slug),
      });
    }
  });
  afterAll(() => service.discard());

  it('can be held and claimed', async () => {
    const { id } = await reserve(service, acme.key, 'held', UNITS);
    const user_id = await service.newUser(acme.key, 'ann@example.org');
    const claimed = await service.ask('PUT', `/purchases/${id}/claim`, { key: acme.key, body: { user_id } });
    expect([claimed.status, codesIn(claimed.body.purchase)]).toEqual([200, codesOf('held').sort()]);
  });

  it('can be bought with a card, with the longest session, and refunded with the longest reason', async () => {
    const user = { ...personOf('bob@example.org'), first_name: 'é'.repeat(255), last_name: '€'.repeat(255) };
    const order = { deal_id: 'bought', quantity: UNITS, session_id: '€'.repeat(255), user };
    const bought = await buyFull(service, acme, { ...order, credit_card: cardOf(GOOD_CARD) });
    expect([bought.status, codesIn(bought.body.purchase)]).toEqual([200, codesOf('bought').sort()]);
    const { id } = bought.body.purchase;
    const { purchase } = await service.operate('POST', `/purchases/${id}/refund`, { reason: '€'.repeat(1_000) });
    const states = new Set(purchase.coupons.map(({ state }: Json) => state as string));
    expect([purchase.payment_state, [...states]]).toEqual(['refunded', ['cancelled']]);
  });

  it('is the longest: adding a code with one more character fails with the name of the field', async () => {
    expect(await refused('held', 'x'.repeat(101))).toEqual([
      422,
      'redemption_code_pool',
      'must have at most 100 characters',
    ]);
  });
});
