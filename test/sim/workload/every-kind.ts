import { OPERATOR } from '../world/service-process.js';
import type { Json } from './doing.js';
import type { Request } from '../world/installation.js';
import { ADDRESS } from './kinds/buying.js';
import { REGIONS } from './kinds/catalogue.js';
import { renewPassword } from './every-order.js';
import type { Workload } from './workload.js';

const DAY = 86_400_000;

/** Sends a command of every kind about things of its own, once nothing fails any more: each must succeed. */
export async function everyKind(workload: Workload): Promise<void> {
  const [partner] = workload.known.partners;
  if (partner === undefined) throw new Error('the world has no partner');
  const { key } = partner;
  await renewPassword(workload, partner);
  const ask = async (request: Request): Promise<Json> => JSON.parse((await workload.insist(request)).text) as Json;
  const call = (method: Request['method'], path: string, body: object = {}): Promise<Json> =>
    ask({ method, path, credential: { key }, body });
  const operate = (method: Request['method'], path: string, body: object = {}): Promise<Json> =>
    ask({ method, path: `/operators${path}`, credential: { token: OPERATOR }, body });
  const authorization = `Basic ${Buffer.from(`${partner.basic.username}:${partner.basic.password}`).toString('base64')}`;
  const v3 = (method: Request['method'], path: string, body: object = {}): Promise<Json> =>
    ask({ method, path: `/api/v3${path}`, credential: { token: '' }, headers: { authorization }, body });
  const idIn = (answer: Json, name: string): string => (answer[name] as unknown as { readonly id: string }).id;
  const at = (days: number): string => new Date(workload.clock.now() + days * DAY).toISOString();
  const reason = { reason: 'the end' };

  await operate('PUT', '/regions/testland', REGIONS.testland);
  const window = { title: 'last', region_id: 'testland', start_at: at(-1), end_at: at(9), refundable: true };
  const deals: readonly (readonly [string, object])[] = [
    ['last', { ...window, current_price: 1000, value: 2000, stock: 20 }],
    ['last-offer', { ...window, type: 'card-linked', max_linkage: 2 }],
  ];
  for (const [slug, body] of deals) {
    await operate('PUT', `/deals/${slug}`, body);
    for (const to of ['in-review', 'approved', 'paused', 'in-flight'])
      await operate('POST', `/deals/${slug}/transitions`, { to });
  }
  await operate('PUT', '/deals/last/stock', { units: 30 });
  await workload.insist({
    method: 'POST',
    path: '/operators/import',
    credential: { token: OPERATOR },
    lines: [{ kind: 'region', slug: 'testland', ...REGIONS.testland }],
    // The answer tells the progress in lines, and is kept as it is.
    headers: { 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson' },
  });
  const user = await call('POST', '/users', {
    email: 'last@example.com',
    pass: 'a secret',
    pass_confirmation: 'a secret',
  });
  const user_id = user['user_id'] as string;
  await call('PUT', `/users/${user_id}`, { first_name: 'Zoe' });
  await call('PUT', '/users/last@example.com/update_by_email', { last_name: 'Lee' });
  const card = { number: '4242424242424242', verification_value: '123', month: '12', year: '2045', zip_code: '02114' };
  const credit_card_id = (await call('POST', '/credit_cards', { user_id, ...card }))['credit_card_id'] as string;
  await call('PUT', `/credit_cards/${credit_card_id}/default`);
  const address = await call('POST', '/shipping_addresses', { user_id, name: 'Zoe Lee', ...ADDRESS });
  await call('DELETE', `/shipping_addresses/${address['shipping_address_id'] as string}`);
  await call('POST', `/users/${user_id}/access_tokens`, { expires_in: 60, scope: 'all', access: 'read' });
  const saved = idIn(await call('POST', '/saved_deals', { user_id, deal_id: 'last' }), 'saved_deal');
  await call('DELETE', `/saved_deals/${saved}`);
  const subscription = idIn(await call('POST', `/users/${user_id}/subscriptions`, { zip: '02114' }), 'subscription');
  await call('PUT', `/subscriptions/${subscription}`, { status: 'inactive' });
  const link = idIn(await call('POST', '/card_links', { user_id, deal_id: 'last-offer' }), 'card_link');
  for (const what of ['unlink', 'link']) await call('PUT', `/card_links/${link}/${what}`);
  const transaction = {
    transaction_amount: 500,
    transaction_date: '2030-01-01T12:00:00',
    transaction_reference: 'last',
  };
  await call('PUT', `/card_links/${link}/redeem`, transaction);
  const reserve = (): Promise<Json> => call('POST', '/purchases/reserve', { deal_id: 'last', num_bought: 1 });
  await call('PUT', `/purchases/${idIn(await reserve(), 'purchase')}/release`);
  await call('PUT', `/purchases/${idIn(await reserve(), 'purchase')}/claim`, { user_id });
  const stored = { deal_id: 'last', quantity: 2, user_id, credit_card_id, expected_price_per_unit: 1000 };
  const bought = idIn(await call('POST', '/purchases', stored), 'purchase');
  const full = await call('POST', '/purchases/full', { deal_id: 'last', quantity: 3, user_id, credit_card: card });
  const [one, two, three] = couponsOf(full['purchase']);
  await call('GET', `/coupons/${one}`);
  await call('PUT', '/coupons/redeem', { coupon: one });
  await operate('POST', `/coupons/${two}/cancel`, reason);
  await operate('POST', `/coupons/${three}/reissue`, reason);
  await operate('POST', `/purchases/${bought}/refund`, reason);
  const resale = { transaction_reference: 'last', transaction_date: '2030-01-01T12:00:00Z', transaction_amount: 900 };
  const reseller = { deal_id: 'last', quantity: 1, ...resale, first_name: 'Z', last_name: 'L' };
  const sold = await v3('POST', '/resellers/purchases', reseller);
  const again = await v3('POST', '/resellers/purchases', reseller);
  if (again['id'] !== sold['id'])
    throw new Error(`a resale that is sent again is another one: ${JSON.stringify(again)}`);
  await v3('DELETE', `/coupons/${couponsOf(sold)[0]}/cancel`);
  await call('DELETE', `/credit_cards/${credit_card_id}`);
  const midnight = (Math.floor(workload.clock.now() / DAY) + 1) * DAY;
  const send_at = new Date(midnight + DAY / 2).toISOString();
  const batch = idIn(
    await call('POST', '/v1/targeted_email/batches', {
      deal_id: 'last',
      user_ids: [user_id],
      mode: 'augment',
      send_at,
    }),
    'batch',
  );
  await call('DELETE', `/v1/targeted_email/batches/${batch}?deal_id=last`);
}

function couponsOf(purchase: Json | undefined): readonly string[] {
  return (purchase?.['coupons'] as unknown as readonly { readonly id: string }[]).map(({ id }) => id);
}
