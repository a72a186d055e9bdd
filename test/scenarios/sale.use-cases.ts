import type { Json, RunningService } from '../support/running-service.js';
import { useCase, type UseCase } from './crash-windows.js';

const HOLD = 300;

interface Sale {
  readonly key: string;
  readonly userId: string;
  readonly purchaseId: string;
  /** When the hold ends, in milliseconds since 1970. */
  readonly deadline: number;
}

/** A partner, a user and a deal of 5 units with a reservation of 2. */
async function reserved(service: RunningService, attributes: Readonly<Record<string, unknown>> = {}): Promise<Sale> {
  const { key } = await service.newPartner('acme');
  await service.newDeal('spa', { stock: 5, max_per_user: 5, ...attributes });
  const userId = await service.newUser(key, 'ann@example.org');
  return { key, userId, ...(await hold(service, key, 2)) };
}

async function hold(
  service: RunningService,
  key: string,
  units: number,
): Promise<Pick<Sale, 'purchaseId' | 'deadline'>> {
  const { body } = await service.ask('POST', '/purchases/reserve', {
    key,
    body: { deal_id: 'spa', num_bought: units },
  });
  const { now } = await service.operate('GET', '/clock');
  return { purchaseId: body.purchase.id, deadline: Date.parse(now) + HOLD * 1000 };
}

async function released(service: RunningService): Promise<Sale> {
  const sale = await reserved(service);
  await service.ask('PUT', `/purchases/${sale.purchaseId}/release`, { key: sale.key });
  return sale;
}

async function expired(service: RunningService): Promise<Sale> {
  const sale = await reserved(service);
  await service.forward(HOLD);
  return sale;
}

async function sold(service: RunningService): Promise<{ key: string; couponId: string }> {
  const { key, userId, purchaseId } = await reserved(service);
  const claimed = await service.ask('PUT', `/purchases/${purchaseId}/claim`, { key, body: { user_id: userId } });
  const [coupon] = claimed.body.purchase.coupons as Json[];
  return { key, couponId: coupon.id };
}

const claim: UseCase<Sale>['run'] = (client, { key, userId, purchaseId }) =>
  client.send('PUT', `/purchases/${purchaseId}/claim`, { key, body: { user_id: userId } });

/** The use cases of a sale. */
export const saleUseCases: readonly UseCase[] = [
  useCase({
    title: 'E1 A11: create a user',
    prepare: (service) => service.newPartner('acme'),
    run: (client, { key }) =>
      client.send('POST', '/users', { key, body: { email: 'ann@example.org', first_name: 'Ann', last_name: 'Lee' } }),
  }),
  useCase({
    title: '3.2 D2 A11: reserve',
    prepare: async (service) => {
      await service.newDeal('spa', { stock: 5 });
      return service.newPartner('acme');
    },
    run: (client, { key }) =>
      client.send('POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 2 } }),
  }),
  useCase({
    title: 'D1 D2: reserve what holds past their deadline still seem to take',
    env: { TIMERS: 'false' },
    prepare: async (service) => {
      const sale = await reserved(service);
      await hold(service, sale.key, 2);
      await service.forward(HOLD);
      return sale;
    },
    run: (client, { key }) =>
      client.send('POST', '/purchases/reserve', { key, body: { deal_id: 'spa', num_bought: 5 } }),
  }),
  useCase({ title: '3.2 D3 D10 A11: claim', prepare: reserved, run: claim }),
  useCase({
    title: 'D3 D10: claim units with redemption codes',
    prepare: (service) => reserved(service, { redemption_code_pool: ['C-1', 'C-2', 'C-3'] }),
    run: claim,
  }),
  useCase({ title: 'D3: claim after the expiry was recorded', prepare: expired, run: claim }),
  useCase({
    title: 'D3: claim after the deadline, which nobody has recorded',
    env: { TIMERS: 'false' },
    prepare: expired,
    run: claim,
  }),
  useCase({ title: 'D3: claim a released reservation', prepare: released, run: claim }),
  useCase({
    title: '3.2 D4 A11: release',
    prepare: reserved,
    run: (client, { key, purchaseId }) => client.send('PUT', `/purchases/${purchaseId}/release`, { key }),
  }),
  useCase({
    title: 'D1: expiry by the clock, through the work list',
    prepare: reserved,
    run: async (client, { deadline }) => {
      await client.until(deadline);
      return undefined;
    },
  }),
  useCase({
    title: '3.4 D10 A11: redeem',
    prepare: sold,
    run: (client, { key, couponId }) => client.send('PUT', `/coupons/${couponId}/redeem`, { key }),
  }),
];
