import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cardOf, DECLINED_CARD, GOOD_CARD, personOf, storeCard } from '../support/cards.js';
import { NO_DEAL, OTHER_PRICE, TOO_MANY, fault, validationFailed } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const missing = (field: string, resource: string): string => fault('missing_field', 'is missing', field, resource);
const NO_CARD = '{"type":"missing","message":"missing credit card info","resource":"credit_card"}';

describe('4.6: a purchase with a stored card', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;
  let card: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('spa', { stock: null, max_per_user: 50 });
    await service.newDeal('shipped', { fulfillment_method: 'shipped', stock: null });
    ann = await service.newUser(acme.key, 'ann@example.org');
    card = await storeCard(service, acme.key, ann);
  });
  afterAll(() => service.discard());

  const order = (more: Json = {}): Json => ({
    deal_id: 'spa',
    quantity: 1,
    user_id: ann,
    credit_card_id: card,
    expected_price_per_unit: 1000,
    ...more,
  });
  const buy = (more?: Json): Promise<Answer> => service.ask('POST', '/purchases', { key: acme.key, body: order(more) });
  const withIds = (text: string): string =>
    text.replace(',"errors"', `,"user_id":"${ann}","credit_card_id":"${card}","errors"`);

  it('4.6.3, 2.5.6, 2.5.7, 2.5, B6: is charged and fulfilled; its answer has null for coupons, and a later GET shows them', async () => {
    const answer = await buy({ quantity: 2, session_id: 'affiliate-7' });
    const { purchase } = answer.body;
    expect(answer.status).toBe(200);
    expect(purchase).toMatchObject({
      payment_state: 'charged',
      fulfillment_state: 'fulfilled',
      amount: 2000,
      user_id: ann,
      credit_card_id: card,
      coupons: null,
    });
    const shown = (await service.ask('GET', `/purchases/${purchase.id}`, { key: acme.key })).body.purchase;
    expect({ ...shown, coupons: null }).toEqual(purchase);
    expect(shown.coupons).toHaveLength(2);
  });

  it('A1, A2: answers on every prefix, and takes its parameters from the query as well', async () => {
    const query = new URLSearchParams(order() as Record<string, string>);
    for (const path of ['/purchases', '/v1/purchases', '/api/v1/purchases.json']) {
      const answer = await service.ask('POST', `${path}?${query.toString()}`, { key: acme.key });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  it.each<[string, Json, string]>([
    [
      'a request without parameters',
      {
        deal_id: undefined,
        quantity: undefined,
        user_id: undefined,
        credit_card_id: undefined,
        expected_price_per_unit: undefined,
      },
      validationFailed(
        missing('user_id', 'user'),
        NO_CARD,
        missing('deal_id', 'purchase'),
        missing('quantity', 'purchase'),
        missing('expected_price_per_unit', 'purchase'),
      ),
    ],
    ['an unknown user', { user_id: 'nobody' }, validationFailed(fault('not_found', 'not found', 'user_id', 'user'))],
    [
      'an unknown card, and no number of units',
      { credit_card_id: 'none', quantity: 'many' },
      validationFailed(
        fault('not_found', 'not found', 'credit_card_id', 'credit_card'),
        fault('invalid', 'must be an integer', 'quantity', 'purchase'),
      ),
    ],
    [
      'no address for a shipped deal',
      { deal_id: 'shipped' },
      validationFailed(missing('shipping_address_id', 'shipping_address')),
    ],
  ])('A8, D6: %s is refused by name', async (_, more, text) => {
    const answer = await buy(more);
    expect([answer.status, answer.text]).toEqual([422, text]);
  });

  it('4.6: takes only ids: it ignores a user and a card in the body', async () => {
    const more = {
      user_id: undefined,
      credit_card_id: undefined,
      user: personOf('x@example.org'),
      credit_card: cardOf(GOOD_CARD),
    };
    const detail = 'user was sent, which this call does not take';
    expect((await buy(more)).text).toBe(
      validationFailed(fault('missing_field', 'is missing', 'user_id', 'user', detail), NO_CARD),
    );
  });

  it('A8: an unknown deal is 404', async () => {
    const answer = await buy({ deal_id: 'no-such-deal' });
    expect([answer.status, answer.text]).toEqual([404, NO_DEAL]);
  });

  it('D5: an unexpected price is refused, and D6: so are too many units, both in one answer, with the ids of user and card', async () => {
    const price = OTHER_PRICE(1000);
    const bought = (await service.ask('GET', `/users/${ann}/purchases`, { key: acme.key })).body.purchases as Json[];
    const many = TOO_MANY(50 - bought.reduce((sum: number, { number_bought }) => sum + Number(number_bought), 0));
    expect((await buy({ expected_price_per_unit: 999 })).text).toBe(withIds(validationFailed(price)));
    expect((await buy({ expected_price_per_unit: 0, quantity: 51 })).text).toBe(withIds(validationFailed(many, price)));
    expect((await buy({ quantity: 0 })).text).toBe(withIds(validationFailed(many)));
    expect((await buy({ expected_price_per_unit: '1000' })).status).toBe(200);
  });

  it('D5: the present price counts, whatever a list showed', async () => {
    await service.newDeal('dearer');
    const listed = (await service.look('/deals/dearer', acme.key)).body.deal.current_price;
    await service.operate('PUT', '/deals/dearer', { current_price: 1200 });
    const refused = await buy({ deal_id: 'dearer', expected_price_per_unit: listed });
    expect(refused.body.errors).toEqual([JSON.parse(OTHER_PRICE(1200))]);
    expect((await buy({ deal_id: 'dearer', expected_price_per_unit: 1200 })).body.purchase.price).toBe(1200);
  });

  it('7.1.4, 7.1: a decline is 422, with the ids', async () => {
    const credit_card_id = await storeCard(service, acme.key, ann, DECLINED_CARD);
    const answer = await buy({ credit_card_id });
    expect([answer.status, answer.text]).toEqual([
      422,
      '{"status":"error","error_type":"declined","error_msg":"purchase declined: the card was declined",' +
        `"user_id":"${ann}","credit_card_id":"${credit_card_id}","purchase_id":"${answer.body.purchase_id}",` +
        '"detail":"no money was kept, and the units are free again: GET /purchases/<purchase_id> shows it"}',
    ]);
  });

  it('7.1.3, 2.2.4, D6, C2: a deal that does not sell is cannot_fufill, with the ids', async () => {
    await service.newDeal('offer', { type: 'card-linked', current_price: null, value: null });
    for (const [deal_id, reason] of [
      ['offer', 'the deal does not sell: it is a card-linked deal, which is linked to a card and not bought'],
    ] as const) {
      const answer = await buy({ deal_id, expected_price_per_unit: 0 });
      expect([answer.status, answer.text]).toEqual([
        422,
        `{"status":"error","error_type":"cannot_fufill","error_msg":"${reason}","user_id":"${ann}","credit_card_id":"${card}"}`,
      ]);
    }
  });
});
