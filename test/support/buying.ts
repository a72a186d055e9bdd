import type { Json, RunningService } from './running-service.js';

/** Reserves units of a deal, and expects success. */
export async function reserve(service: RunningService, key: string, deal_id: string, num_bought = 1): Promise<Json> {
  const answer = await service.ask('POST', '/purchases/reserve', { key, body: { deal_id, num_bought } });
  if (answer.status !== 200) throw new Error(`reserve ${deal_id}: ${answer.status} ${answer.text}`);
  return answer.body.purchase;
}

/** Claims a reservation for a user, and expects success. */
export async function claim(service: RunningService, key: string, id: string, user_id: string): Promise<Json> {
  const answer = await service.ask('PUT', `/purchases/${id}/claim`, { key, body: { user_id } });
  if (answer.status !== 200) throw new Error(`claim ${id}: ${answer.status} ${answer.text}`);
  return answer.body.purchase;
}

/** Reserves and claims. */
export async function buy(
  service: RunningService,
  key: string,
  deal_id: string,
  user_id: string,
  num_bought = 1,
): Promise<Json> {
  const { id } = await reserve(service, key, deal_id, num_bought);
  return claim(service, key, id, user_id);
}

/** The service's time, in milliseconds since 1970. */
export async function timeOf(service: RunningService): Promise<number> {
  return Date.parse((await service.operate('GET', '/clock')).now);
}

/** Moves the service's time to this instant. */
export async function moveTo(service: RunningService, instant: number): Promise<void> {
  await service.operate('PUT', '/clock', { now: new Date(instant).toISOString() });
}

/** An instant as text for request bodies. */
export const at = (instant: number): string => new Date(instant).toISOString();
