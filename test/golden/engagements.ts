import { DAY, utcTime } from '#kernel';
import { timeOf } from '../support/buying.js';
import type { Json, RunningService, TestPartner } from '../support/running-service.js';
import { workDone } from '../support/work-done.js';
import type { RecordedRequest } from './recording.js';

/** What a partner's users keep beside their purchases, and what was sold elsewhere. */
export interface Engagements {
  readonly user: string;
  /** The id of a batch of mails for the next day. */
  readonly batch: string;
  /** The ids of coupons that the partner has sold as a reseller; the second one is cancelled. */
  readonly resold: readonly string[];
}

/** Saved deals, card links in all states, subscriptions, an access token, batches of mails, and sales of a reseller. */
export async function fillEngagements(
  service: RunningService,
  { key }: TestPartner,
  basic: string,
  user: string,
): Promise<Engagements> {
  const ask = async (method: string, path: string, body: Json, as: object = { key }): Promise<Json> => {
    const answer = await service.ask(method, path, { ...as, body });
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  };
  const save = async (deal_id: string): Promise<string> =>
    (await ask('POST', '/saved_deals', { deal_id, user_id: user })).saved_deal.id;
  await save('spa');
  await ask('DELETE', `/saved_deals/${await save('coded')}`, undefined);

  for (const slug of ['linked-again', 'redeemed', 'unlinked']) {
    const terms = { incentive_amount: 500, min_spend: 2000, offer_construct: '$5 off', max_linkage: 3 };
    await service.newDeal(slug, { type: 'card-linked', region_id: 'lisbon', ...terms });
  }
  const link = async (deal_id: string): Promise<string> =>
    (await ask('POST', '/card_links', { deal_id, user_id: user })).card_link.id;
  await ask('PUT', `/card_links/${await link('unlinked')}/unlink`, {});
  const again = await link('linked-again');
  await ask('PUT', `/card_links/${again}/unlink`, {});
  await ask('PUT', `/card_links/${again}/link`, {});
  const transaction = { transaction_amount: 2500, transaction_date: '2026-01-31T12:00:00', max_redemption: true };
  await ask('PUT', `/card_links/${await link('redeemed')}/redeem`, { ...transaction, transaction_reference: 'till-1' });

  const { subscription } = await ask('POST', `/users/${user}/subscriptions`, { zip: '02114' });
  await ask('PUT', `/subscriptions/${subscription.id}`, { status: 'inactive' });
  await ask('POST', `/users/${user}/subscriptions`, { zip: '02114' });
  await ask('POST', `/users/${user}/access_tokens`, { expires_in: 600, scope: 'user', access: 'read' });

  const midnight = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY;
  const batchOf = async (users: readonly string[]): Promise<string> => {
    const body = { deal_id: 'spa', user_ids: users, mode: 'augment', send_at: utcTime(midnight + DAY / 2) };
    return (await ask('POST', '/targeted_email/batches', body)).batch.id;
  };
  const cancelled = await batchOf([user]);
  await ask('DELETE', `/targeted_email/batches/${cancelled}?deal_id=spa`, undefined);
  const batch = await batchOf([user]);

  const resell = async (transaction_reference: string): Promise<string> => {
    const person = { first_name: 'Zoë', last_name: 'Lee' };
    const sale = { deal_id: 'spa', quantity: 1, transaction_reference, transaction_amount: 900, ...person };
    const path = '/api/v3/resellers/purchases';
    const answer = await ask('POST', path, { ...sale, transaction_date: '2026-01-31T12:00:00Z' }, { basic });
    return answer.coupons[0].id;
  };
  const resold = [await resell('order-1'), await resell('order-2')];
  await ask('DELETE', `/api/v3/coupons/${resold[1]}/cancel`, undefined, { basic });
  await workDone(service);
  return { user, batch, resold };
}

/** What the partner can read of them. */
export function requestsOf({ user, batch, resold }: Engagements): readonly RecordedRequest[] {
  const get = (path: string, as: RecordedRequest['as'] = 'acme'): RecordedRequest => ({
    ...{ as, method: 'GET', path, contract: 'bytes' },
  });
  return [
    ...['saved_deals', 'card_links', 'subscriptions'].map((list) => get(`/users/${user}/${list}`)),
    ...['linked', 'unlinked', 'fulfilled'].map((state) => get(`/users/${user}/card_links?filter=${state}`)),
    get(`/targeted_email/batches/${batch}?deal_id=spa`),
    ...resold.map((coupon) => get(`/api/v3/coupons/${coupon}`, 'acme-v3')),
  ];
}
