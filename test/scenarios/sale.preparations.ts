import type { Json, RunningService } from '../support/running-service.js';

/** Seconds. */
export const HOLD = 300;

export interface Sale {
  readonly key: string;
  readonly userId: string;
  readonly purchaseId: string;
  /** When the hold ends, in milliseconds since 1970. */
  readonly deadline: number;
}

/** A partner, a user and a deal of 5 units with a reservation of 2. */
export async function reserved(
  service: RunningService,
  attributes: Readonly<Record<string, unknown>> = {},
): Promise<Sale> {
  const { key } = await service.newPartner('acme');
  await service.newDeal('spa', { stock: 5, max_per_user: 5, ...attributes });
  const userId = await service.newUser(key, 'ann@example.org');
  return { key, userId, ...(await hold(service, key, 2)) };
}

/** Holds this many units of that deal. */
export async function hold(
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

/** The same, released. */
export async function released(service: RunningService): Promise<Sale> {
  const sale = await reserved(service);
  await service.ask('PUT', `/purchases/${sale.purchaseId}/release`, { key: sale.key });
  return sale;
}

/** The same, after its deadline. */
export async function expired(service: RunningService): Promise<Sale> {
  const sale = await reserved(service);
  await service.forward(HOLD);
  return sale;
}

/** The same, claimed. @returns one of its coupons */
export async function sold(service: RunningService): Promise<{ key: string; couponId: string }> {
  const { key, userId, purchaseId } = await reserved(service);
  const claimed = await service.ask('PUT', `/purchases/${purchaseId}/claim`, { key, body: { user_id: userId } });
  const [coupon] = claimed.body.purchase.coupons as Json[];
  return { key, couponId: coupon.id };
}
