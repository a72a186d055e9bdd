import { buy, claim, reserve } from './buying.js';
import { cardOf, DECLINED_CARD, GOOD_CARD, LOST_ANSWER_CARD, personOf, SILENT_CARD, storeCard } from './cards.js';
import type { Answer, Json, RunningService } from './running-service.js';

/** What was sold in each way. */
export interface SoldInAllWays {
  /** A claim of two units, of which one was redeemed. */
  readonly claimed: Json;
  /** A full purchase of two units; one coupon was cancelled. */
  readonly full: Json;
}

/** Makes a partner, and sells a deal in all ways, with codes, and lets each kind of correction happen once. */
export async function sellInAllWays(service: RunningService, deal_id: string, slug: string): Promise<SoldInAllWays> {
  const partner = await service.newPartner(slug);
  const { key } = partner;
  const reason = 'a guest asked for it';
  const ok = ({ status, text, body }: Answer): Json => {
    if (status >= 300) throw new Error(`${status} ${text}`);
    return body;
  };
  const put = (path: string): Promise<Json> => service.ask('PUT', path, { key }).then(ok);
  const { password } = await service.operate('POST', `/partners/${partner.id}/password`);
  const codes = Array.from({ length: 35 }, (_, index) => `${deal_id}-CODE-${index}`);
  await service.newDeal(deal_id, { stock: 30, max_per_user: 6 });
  // The inventory keeps what a later event says: codes that come when some are held already.
  const early = await reserve(service, key, deal_id, 2);
  await service.operate('PUT', `/deals/${deal_id}`, { redemption_code_pool: codes });
  const ann = await service.newUser(key, `ann@${deal_id}.example.org`);
  const bob = await service.newUser(key, `bob@${deal_id}.example.org`);
  const claimed = await claim(service, key, early.id, ann);
  await put(`/coupons/${claimed.coupons[0].id}/redeem`);

  const stored = { deal_id, user_id: ann, quantity: 1, expected_price_per_unit: 1000 };
  const byCard = async (number: string): Promise<Answer> =>
    service.ask('POST', '/purchases', {
      key,
      body: { ...stored, credit_card_id: await storeCard(service, key, ann, number) },
    });
  ok(await byCard(GOOD_CARD));
  if ((await byCard(DECLINED_CARD)).status !== 422) throw new Error('a declined card was charged');
  const person = (name: string): Json => personOf(`${name}@${deal_id}.example.org`);
  const buyFull = async (name: string, quantity: number, number = GOOD_CARD): Promise<Json> => {
    const body = { deal_id, quantity, user: person(name), credit_card: cardOf(number) };
    return ok(await service.ask('POST', '/v1/purchases/full.json', { key, body })).purchase;
  };
  const full = await buyFull('cia', 2);
  const refunded = await buyFull('dan', 3);
  await buyFull('eve', 1, LOST_ANSWER_CARD);
  const silent = await buyFull('fay', 1, SILENT_CARD);
  await service.operate('POST', `/purchases/${silent.id}/void`, { reason });

  const resell = (transaction_reference: string, quantity: number): Promise<Answer> =>
    service.ask('POST', '/api/v3/resellers/purchases', {
      basic: `${slug}:${password}`,
      body: {
        ...{ deal_id, quantity, transaction_reference, transaction_amount: 1700 },
        ...{ transaction_date: '2026-01-31T12:00:00Z', first_name: 'Ann', last_name: 'Lee' },
      },
    });
  ok(await resell(`${deal_id}-1`, 2));
  // Two contents under one reference: one is sold, and the other comes to nothing.
  await Promise.all([resell(`${deal_id}-2`, 1), resell(`${deal_id}-2`, 2)]);

  await put(`/purchases/${(await reserve(service, key, deal_id)).id}/release`);
  const late = await reserve(service, key, deal_id);
  await reserve(service, key, deal_id);
  await service.forward(301);
  await claim(service, key, late.id, bob);

  await service.operate('POST', `/coupons/${full.coupons[0].id}/cancel`, { reason });
  await service.operate('POST', `/coupons/${full.coupons[1].id}/reissue`, { reason });
  await service.operate('POST', `/coupons/${claimed.coupons[0].id}/reissue`, { reason, redeemed_by_mistake: true });
  await service.operate('POST', `/purchases/${refunded.id}/refund`, { reason });
  await service.operate('PUT', `/deals/${deal_id}`, { current_price: 1_100, max_per_user: 8 });
  await service.operate('PUT', `/deals/${deal_id}/stock`, { units: 40 });
  await buy(service, key, deal_id, bob, 2);
  await reserve(service, key, deal_id);
  return { claimed, full };
}
