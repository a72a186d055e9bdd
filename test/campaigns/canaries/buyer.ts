import { expect } from '@jest/globals';
import type { Answer, RunningService } from '../../support/running-service.js';

/** What a reseller tells of their buyer (interface 4.6.2). */
export const BUYER = {
  first_name: 'Xylocopabelle',
  last_name: 'Phalaropesdottir',
  address_type: 'canary-houseboat',
  address1: '17 Canary Whimbrel Quay',
  address2: 'Canary Dunlin Cabin',
  postal_code: 'ZK9-31QX',
  city: 'Canary-Turnstone-on-Sea',
  telephone: '+1 617 555 0199 canary knot',
};

/** Where a subscription came from: it is sealed together with its ZIP, whose five digits could stand in a file by chance. */
export const SUBSCRIBED_FROM = 'canary-subscription-crake';

/** The credentials of a partner; `basic` is `user:password`. */
interface Credentials {
  readonly key: string;
  readonly basic: string;
}

/** A reseller's calls about a buyer, with their refusals and an auditor's view of them. */
export async function resell(service: RunningService, { basic }: Credentials, deal_id: string): Promise<void> {
  const body = {
    ...{ deal_id, quantity: 1, transaction_amount: 900, transaction_reference: 'order-1' },
    transaction_date: '2026-01-31T12:00:00Z',
    ...{ ...BUYER, state: 'MA', country: 'US' },
  };
  const send = async (status: number, changes: object = {}): Promise<Answer> => {
    const sent = { ...body, ...changes };
    const headers = { 'idempotency-key': `resale-${JSON.stringify(changes).length}` };
    const answer = await service.ask('POST', '/api/v3/resellers/purchases', { basic, body: sent, headers });
    expect({ sent, status: answer.status, text: answer.text }).toMatchObject({ status });
    return answer;
  };
  const { body: resold } = await send(200);
  await send(200);
  await send(422, { first_name: BUYER.last_name });
  await send(422, { transaction_reference: 'order-2', quantity: 1_000 });
  await send(422, { transaction_reference: 'order-3', transaction_date: BUYER.city });
  await send(422, { transaction_reference: 'order-4', deal_id: 'nothing' });
  const token = service.auditorToken;
  expect((await service.ask('GET', `/auditors/purchases/${resold.id}/history`, { token })).status).toBe(200);
  const cancel = (): Promise<Answer> =>
    service.ask('DELETE', `/api/v3/coupons/${resold.coupons[0].id}/cancel`, { basic });
  expect([(await cancel()).status, (await cancel()).status]).toEqual([200, 422]);
}

/** Calls about a user's subscription, in whose address the user's e-mail may stand. The region `testland` must have a place. */
export async function subscribe(
  service: RunningService,
  { key }: Credentials,
  user: { readonly id: string; readonly email: string },
): Promise<void> {
  const ask = async (status: number, ...[method, path, body]: [string, string, object?]): Promise<Answer> => {
    const answer = await service.ask(method, path, { key, ...(body !== undefined && { body }) });
    expect({ method, path, status: answer.status, text: answer.text }).toMatchObject({ status });
    return answer;
  };
  const wanted = { zip: '02114', source: SUBSCRIBED_FROM };
  const made = await ask(200, 'POST', `/users/${user.id}/subscriptions`, wanted);
  await ask(200, 'POST', `/users/${user.id}/subscriptions`, wanted);
  await ask(422, 'POST', `/users/${user.id}/subscriptions`, { ...wanted, zip: BUYER.postal_code });
  const one = `/subscriptions/${made.body.subscription.id}`;
  await ask(200, 'GET', one);
  await ask(200, 'GET', `/users/${encodeURIComponent(user.email)}/subscriptions`);
  await ask(404, 'GET', `/users/${encodeURIComponent(`not.${user.email}`)}/subscriptions`);
  await ask(200, 'PUT', one, { status: 'inactive' });
  await ask(422, 'PUT', one, { status: SUBSCRIBED_FROM });
}
